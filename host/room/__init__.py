"""The control room: a web page for watching, pausing, taking over and replaying episodes.

    wall        the state of all trials, and which of them        live_trajectory, wall,
                need attention                                    thumbnails
    desk        one trial: its screen, through a bridge that
                drops input from viewers without the lease        rfb, bridge, lease
    control     orders to the runner; a person's input as calls   gestures
    app, serve  the HTTP routes, and access to them               guard, parts, serving

`guard`, `parts`, `serving`, `bridge` and `lease` are independent of runs; other pages use them too.

The room only reads the directories of runs, and appends to a trial's orders. It can be started and
stopped at any time, whether a run is in progress or not.
"""
