"""Prints all calendars as one JSON object, for the evidence.

    {"calendars": {"LOGIN/calendar" or "teams/TEAM": {"title",
         "events": {UID: {"title", "start", "end", "place", "text", "repeats", "organiser",
             "attendees": [address]}}}}}

Times are as in the file, such as 20261005T090000Z. An item that is no event is left out.
"""

import json
import os
import sys

ROOT = "/var/lib/radicale/collections/collection-root"
PROPS = ".Radicale.props"
NAMES = {
    "SUMMARY": "title",
    "DTSTART": "start",
    "DTEND": "end",
    "LOCATION": "place",
    "DESCRIPTION": "text",
    "RRULE": "repeats",
    "ORGANIZER": "organiser",
}


def plain(value):
    """The text of a value."""
    text, position = "", 0
    while position < len(value):
        if value[position] == "\\" and position + 1 < len(value):
            position += 1
            text += "\n" if value[position] in "nN" else value[position]
        else:
            text += value[position]
        position += 1
    return text


def events(content):
    """The events of a file, by UID."""
    unfolded = content.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
    found, event, uid, depth = {}, None, "", []
    for line in unfolded.split("\n"):
        head, _, value = line.partition(":")
        name = head.partition(";")[0].upper()
        if name == "BEGIN":
            depth.append(value.upper())
            if value.upper() == "VEVENT":
                event, uid = {**dict.fromkeys(NAMES.values(), ""), "attendees": []}, ""
        elif name == "END":
            if value.upper() == "VEVENT" and event is not None:
                event["attendees"].sort()
                found[uid], event = event, None
            if depth:
                depth.pop()
        elif event is not None and depth and depth[-1] == "VEVENT":
            if name == "UID":
                uid = plain(value)
            elif name == "ATTENDEE":
                event["attendees"].append(address(value))
            elif name in NAMES:
                event[NAMES[name]] = address(plain(value))
    return found


def address(value):
    """A value without `mailto:`."""
    return value[7:] if value.lower().startswith("mailto:") else value


def export(root):
    """All calendars below the folder `root`."""
    calendars = {}
    for folder, _, names in sorted(os.walk(root)):
        if PROPS not in names:
            continue
        with open(os.path.join(folder, PROPS)) as file:
            title = json.load(file).get("D:displayname", "")
        found = {}
        for name in sorted(names):
            if name.startswith("."):
                continue
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                found.update(events(file.read()))
        calendars[os.path.relpath(folder, root)] = {"title": title, "events": found}
    return {"calendars": calendars}


if __name__ == "__main__":
    json.dump(export(ROOT), sys.stdout)
