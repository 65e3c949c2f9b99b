"""What a colleague answers: a state machine, read from a file of `scripts/`.

    person = "finance.0"        # the first member of the team finance, its lead
    [[rule]]
    state = ""                  # the state in which the rule holds; "" is the first one
    words = ["invoice", "list"] # all of them are in the message; ["a|b"] is either
    say = "Which month?"        # {names} in braces are facts of the firm
    next = "month"              # the state after it; without it, the state stays

The first rule that fits is used. The state follows from the messages of the room alone, so that the
same conversation gets the same answers, on a fork as well.
"""

import re
import tomllib
from pathlib import Path


def read_scripts(folder):
    """The scripts of a folder."""
    return [tomllib.loads(path.read_text()) for path in sorted(Path(folder).glob("*.toml"))]


def fits(rule, state, text):
    """Whether a rule holds in a state for a message."""
    if rule.get("state", "") != state:
        return False
    return all(
        any(re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in words.split("|"))
        for words in rule["words"]
    )


def answer(script, messages, facts):
    """The answer to the last of these messages, which came in this order; None for no answer."""
    state, said = "", None
    for text in messages:
        rule = next((rule for rule in script["rule"] if fits(rule, state, text)), None)
        said = rule["say"].format(**facts) if rule else None
        state = rule.get("next", state) if rule else state
    return said


def known(script, facts):
    """What a colleague knows: for each rule, what it is about and what they say."""
    return [
        {
            "about": ", ".join(words.replace("|", " or ") for words in rule["words"] if words)
            or "anything else",
            "say": rule["say"].format(**facts),
        }
        for rule in script["rule"]
    ]


def is_meant(text, name, login, members):
    """Whether a message in a room with so many members is for a colleague: in a room of two each
    is, elsewhere those that have the first name or the login."""
    named = rf"(?<![\w.])({re.escape(name.split()[0])}|{re.escape(login)})(?![\w])"
    return members == 2 or re.search(named, text, re.IGNORECASE) is not None
