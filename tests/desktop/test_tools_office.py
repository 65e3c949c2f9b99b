"""A LibreOffice that hangs or was closed: calls end in time and report what was done."""

from io import BytesIO

from openpyxl import Workbook

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done, read, refused, stop


def test_a_hung_office_is_restarted_and_the_caller_is_told(guest: Guest) -> None:
    content = BytesIO()
    Workbook().save(content)
    guest.put("~/hung.xlsx", content.getvalue())
    done(guest, "calc_open_workbook", path="~/hung.xlsx")
    hung = read(guest, "pgrep", "-x", "soffice.bin")
    stop(guest, hung)
    code, text = refused(guest, "calc_get_cell_value", cell="A1")
    assert code == "timeout"
    assert "was restarted" in text
    assert "/hung.xlsx" in text
    assert read(guest, "pgrep", "-x", "soffice.bin") != hung
    assert done(guest, "calc_set_cell_value", cell="A1", value=5)["value"] == 5
    done(guest, "calc_save")


def test_a_closed_office_is_reported_and_opens_again(guest: Guest) -> None:
    gone = "pkill -KILL -x soffice.bin; while pgrep -x soffice.bin; do sleep 0.1; done"
    read(guest, "sh", "-c", gone)
    code, text = refused(guest, "calc_get_cell_value", cell="A1")
    assert code == "not_running"
    assert "calc_open_workbook" in text
    done(guest, "calc_open_workbook", path="~/hung.xlsx")
    assert done(guest, "calc_get_cell_value", cell="A1")["value"] == 5
