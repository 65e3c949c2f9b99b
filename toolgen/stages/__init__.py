"""The pipeline, stage by stage: propose, solve, wrap, check, trial, measure, decide, admit."""
