"""Files that another program changes while LibreOffice has them open."""

from io import BytesIO

from openpyxl import Workbook, load_workbook

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done, read

BOOK = "~/shared book.xlsx"


def book(value: int) -> bytes:
    """A workbook with `value` in A1."""
    content = BytesIO()
    result = Workbook()
    result.worksheets[0]["A1"] = value
    result.save(content)
    return content.getvalue()


def test_a_file_that_another_program_changed_is_saved_without_a_dialog(guest: Guest) -> None:
    guest.put(BOOK, book(1))
    done(guest, "calc_open_workbook", path=BOOK)
    done(guest, "calc_set_cell_value", cell="A2", value=5)
    guest.put(BOOK, book(2))
    read(guest, "touch", "-d", "+1 minute", read(guest, "sh", "-c", "echo ~/shared\\ book.xlsx"))
    done(guest, "calc_save")
    sheet = load_workbook(BytesIO(guest.get(BOOK))).worksheets[0]
    assert [sheet["A1"].value, sheet["A2"].value] == [1, 5]
    assert len(done(guest, "computer_window_list")) == 1
