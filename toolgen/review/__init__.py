"""The review of drafts by people: a web page for each reviewer.

    card, lines     what a reviewer sees of a candidate
    desk            a sandbox desktop for each reviewer, to try the draft on
    app, serve      the HTTP interface, with a token for each reviewer

The rule for verdicts is in `toolgen.verdicts`. The server withholds other reviewers' verdicts: a
page receives only what its reviewer may see.
"""
