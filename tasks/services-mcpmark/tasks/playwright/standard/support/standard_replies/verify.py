"""Checks the comments and the status of each issue."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4] / "forge"))
from checks import after_setup, finish

REPLIES = {
    "1": "Your parcel is late, we are sorry.",
    "2": "You get your money back within five days.",
    "3": "We have changed your address.",
}

state = after_setup()
for number, reply in REPLIES.items():
    state["support"]["issues"][number]["comments"].append(reply)
    state["support"]["issues"][number]["status"] = "Closed"
finish(state)
