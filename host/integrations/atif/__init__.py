"""ATIF, the trajectory format of Harbor: export of runs, and import of trajectories.

    DIR/run.json                     the run's configuration, as we store it
    DIR/<trial>/trajectory.json      one attempt, in ATIF
    DIR/<trial>/images/<hash>.png    its screenshots and the images that tools returned

What the format has a field for is in that field. What only we record is below `extra.ambidex`.
"""
