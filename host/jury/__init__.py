"""The jury: models that judge finished trials by their key points, without a machine.

    prompts/   what judges are told
    asking     one question to one judge, in the format of its API
    case       what a judge is shown of a trial
    sitting    asks all judges about one trial and appends their answers to its evidence
    judging    judges the trials of a run; a trial whose judges cannot be asked stays `unjudged`

The score is computed from the stored answers by `evaluators.key_points`, in the box like every
other verdict.
"""
