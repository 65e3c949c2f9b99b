"""The review of drafted tools by people: a web page for each reviewer.

    card, lines     what a reviewer sees of a candidate, and what not yet
    desk            a sandbox desktop of their own, on which they try the draft
    app, serve      the doors, behind a token for each reviewer

What verdicts mean is `toolgen.verdicts`. The server holds back what others said: a page is told
only what its reviewer may know.
"""
