"""The control room: a web page for watching, pausing, taking over and replaying episodes.

    wall        the state of all trials, and which of them        live_trajectory, wall,
                need attention                                    thumbnails
    runs/       the trials of a run, read incrementally; runs
                started, stopped and resumed                      trials, updates, control
    desk        one trial: its screen, through a bridge that
                drops input from viewers without the lease        rfb, bridge, lease
    desk/       a trial's requests, verdict and labels            transcript, verdict, labels
    control     orders to the runner; a person's input as calls   gestures
    app, serve  the HTTP routes, and access to them               guard, parts, serving

`guard`, `parts`, `serving`, `bridge` and `lease` are independent of runs; other pages use them too.

The room reads the directories of runs, appends to a trial's orders, and starts processes that
outlive it. It can be started and stopped at any time, whether a run is in progress or not.
"""
