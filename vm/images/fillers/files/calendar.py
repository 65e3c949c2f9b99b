"""Puts a firm's calendars into Radicale's folder."""

import datetime
import json
import os
import pwd
import sys

ROOT = "/var/lib/radicale/collections/collection-root"


def stamp(moment):
    """A time in the form of iCalendar."""
    return moment.strftime("%Y%m%dT%H%M%SZ")


def escaped(text):
    """A text as the value of a property."""
    return text.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")


def item(event, names):
    """An event as the content of a file."""
    midnight = datetime.datetime.fromisoformat(event["day"])
    begin = midnight + datetime.timedelta(minutes=event["minute"])
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Firm//Calendar//EN",
        "BEGIN:VEVENT",
        f"UID:{event['id']}@firm.test",
        f"DTSTAMP:{stamp(midnight)}",
        f"DTSTART:{stamp(begin)}",
        f"DTEND:{stamp(begin + datetime.timedelta(minutes=event['length']))}",
        f"SUMMARY:{escaped(event['title'])}",
        f"LOCATION:{escaped(event['place'])}",
        f"ORGANIZER;CN={names[event['organiser']]}:mailto:{event['organiser']}@firm.test",
    ]
    lines += [f"ATTENDEE;CN={names[one]}:mailto:{one}@firm.test" for one in event["attendees"]]
    return "\r\n".join([*lines, "END:VEVENT", "END:VCALENDAR", ""])


def main(firm):
    """Write them."""
    names = {one["login"]: one["name"] for one in firm["people"]}
    titles = {f"{login}/calendar": name for login, name in names.items()}
    titles.update({f"teams/{one['name']}": one["name"].capitalize() for one in firm["teams"]})
    for calendar, title in titles.items():
        folder = f"{ROOT}/{calendar}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/.Radicale.props", "w") as file:
            json.dump({"tag": "VCALENDAR", "D:displayname": title}, file)
    for event in firm["events"]:
        with open(f"{ROOT}/{event['calendar']}/{event['id']}.ics", "w", newline="") as file:
            file.write(item(event, names))
    account = pwd.getpwnam("radicale")
    for folder, _, files in os.walk("/var/lib/radicale"):
        for path in (folder, *(f"{folder}/{name}" for name in files)):
            os.chown(path, account.pw_uid, account.pw_gid)


if __name__ == "__main__":
    main(json.load(sys.stdin))
