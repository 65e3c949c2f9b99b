"""A survey of a real desktop."""

from __future__ import annotations

from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import LASTING, PARTS, changes, survey


def test_a_survey_sees_files_settings_windows_and_programs_and_leaves_nothing(
    guest: Guest,
) -> None:
    before = survey(guest)
    assert set(before) == set(PARTS)
    assert changes(before, survey(guest, LASTING)) == []
    guest.put("~/surveyed.txt", b"one")
    guest.run(["gsettings", "set", "org.gnome.desktop.interface", "clock-show-seconds", "true"])
    guest.run(guest.expanded(["gedit", "~/surveyed.txt"]), background=True)
    guest.wait_window("surveyed.txt", 60)
    result = changes(before, survey(guest))
    reported = {(item.kind, item.what): item.how for item in result}
    assert reported["file", f"{guest.home}/surveyed.txt"] == "made"
    key = "org.gnome.desktop.interface clock-show-seconds"
    assert reported["setting", key] == "false -> true"
    assert any(kind == "window" and "surveyed.txt" in how for (kind, _), how in reported.items())
    assert any(kind == "process" and what.startswith("gedit ") for kind, what in reported)
