"""The stages of the pipeline, a module each: propose, solve, wrap, check, trial, measure, decide,
admit."""
