"""The control room: a web page on which people watch episodes, hold them, take over, and look at
them again.

    wall        what all trials are at, and which of them wants a person      reels, wall, eyes
    desk        one trial: its screen through a bridge that lets nobody
                type who does not hold its lease                              rfb, bridge, lease
    control     orders to the runner; what a person did, in an agent's words  gestures
    app, serve  the doors, behind a token                             guard, parts, serving

`guard`, `parts`, `serving`, `bridge` and `lease` know nothing of runs: other pages use them too.

The room only reads the directories of runs, and appends to a trial's orders: it may be started,
ended and started again while a run goes on, and needs none.
"""
