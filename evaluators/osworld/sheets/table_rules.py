"""What a task may ask of two workbooks: the rules of `compare_table`, each a form of its own.

A sheet is named by a position in the result (`1`, "RI1"), in the expected workbook ("EI1"), or by
its name ("RNBudget", "ENBudget").
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.datavalidation import DataValidation as Validation
from openpyxl.worksheet.dimensions import ColumnDimension, RowDimension
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ambidex.evaluators.osworld.rules import ValueRule, well_formed

LOOKS = Literal[
    "number_format",
    "font_name",
    "font_family",
    "font_color",
    "font_bold",
    "font_italic",
    "font_underline",
    "font_size",
    "fill_type",
    "bgcolor",
    "fgcolor",
    "hyperlink",
    "merge",
]


def _sheet(name: int | str) -> int | str:
    if isinstance(name, str) and not _named(name):
        raise ValueError(f"{name!r} names no sheet: 0, RI0, EI0, RNname or ENname")
    return name


def _named(name: str) -> bool:
    if name.startswith(("RI", "EI")):
        try:
            int(name[2:])
        except ValueError:
            return False
        return True
    return name.startswith(("RN", "EN"))


def _area(text: str) -> str:
    CellRange(text)
    return text


def _has(kind: type, name: str) -> bool:
    # An alias of the library can be asked of an instance only.
    return any(name in vars(each) for each in kind.__mro__)


def _property(kind: type) -> AfterValidator:
    """A name that the library knows of a row or a column."""

    def known(name: str) -> str:
        if not _has(kind, name):
            raise ValueError(f"{kind.__name__} has no {name!r}")
        return name

    return AfterValidator(known)


Sheet = Annotated[int | str, AfterValidator(_sheet)]
Area = Annotated[str, AfterValidator(_area)]


class Asked(BaseModel):
    """A rule. What a task says beyond its form is kept, so that it can be named as unread."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Two(Asked):
    """A rule on a sheet and another one."""

    sheet_idx0: Sheet
    sheet_idx1: Sheet


class One(Asked):
    """A rule on one sheet."""

    sheet_idx: Sheet


class SheetName(Asked):
    """The sheets have the same names in the same order."""

    type: Literal["sheet_name"]


class SheetData(Two):
    """The cells hold the same, numbers to so many places."""

    type: Literal["sheet_data"]
    precision: int = 4
    ignore_case: bool | None = False


class SheetPrint(Two):
    """The sheets, exported as CSV beside their workbooks, have the same lines."""

    type: Literal["sheet_print"]
    ignore_case: bool | None = False


class Fuzzy(Asked):
    """How the cells of some ranges are compared as texts."""

    range: list[Area]
    type: Literal["includes", "included_by", "fuzzy_match", "exact_match"]
    threshold: float = 85.0
    normalization: list[tuple[str, str]] = []
    ignore_chars: str = ""
    ignore_case: bool | None = False
    trim_leadings: str | None = ""
    trim_trailings: str | None = ""


class SheetFuzzy(Two):
    """Cells hold nearly the same text."""

    type: Literal["sheet_fuzzy"]
    rules: list[Fuzzy]


class Sparkline(Two):
    """The same cells show sparklines of the same data."""

    type: Literal["sparkline"]


class Chart(Two):
    """There are charts of the same data, with these properties alike."""

    type: Literal["chart"]
    chart_props: list[
        Literal[
            "type", "title", "legend", "direction", "xtitle", "ytitle", "ztitle",
            "width", "height", "anchor",
        ]
    ] = []  # fmt: skip


class Style(Two):
    """Every cell looks the same in these ways, conditional formats applied."""

    type: Literal["style"]
    props: list[LOOKS] = []


class Freeze(Two):
    """As many rows and columns stay in sight."""

    type: Literal["freeze"]


class Zoom(One):
    """The zoom, in per cent, obeys a value rule."""

    type: Literal["zoom"]
    method: str
    ref: object


class DataValidation(One):
    """Every validation of the sheet obeys one of these sets of value rules."""

    type: Literal["data_validation"]
    dv_props: list[dict[str, ValueRule]]


class RowProps(Two):
    """The rows have these properties alike."""

    type: Literal["row_props"]
    props: list[Annotated[str, _property(RowDimension)]] = []


class ColumnProps(Two):
    """The columns have these properties alike."""

    type: Literal["col_props"]
    props: list[Annotated[str, _property(ColumnDimension)]] = []


class Filter(Two):
    """The automatic filters are the same."""

    type: Literal["filter"]


class PivotTable(Two):
    """There are pivot tables of the same data, with these properties alike."""

    type: Literal["pivot_table"]
    pivot_props: list[
        Literal[
            "name", "show_total", "show_empty_row", "show_empty_col", "show_headers",
            "location", "selection", "filter", "col_fields", "row_fields", "data_fields",
            "data_fields_name", "ordered",
        ]
    ] = []  # fmt: skip


class CheckCell(One):
    """What one cell holds and how it looks obeys value rules."""

    type: Literal["check_cell"]
    coordinate: Annotated[str, Field(pattern=r"^\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}$")]
    props: dict[LOOKS | Literal["value"], ValueRule]


def _obeyed(rule: AnyRule) -> AnyRule:
    if isinstance(rule, Zoom):
        well_formed({"method": rule.method, "ref": rule.ref})
    if isinstance(rule, DataValidation):
        for each in {name for props in rule.dv_props for name in props}:
            if not _has(Validation, each):
                raise ValueError(f"a validation has no {each!r}; it has {', '.join(VALIDATION)}")
    return rule


VALIDATION = ("ranges", *Validation.__attrs__, *Validation.__elements__)

AnyRule = (
    SheetName
    | SheetData
    | SheetPrint
    | SheetFuzzy
    | Sparkline
    | Chart
    | Style
    | Freeze
    | Zoom
    | DataValidation
    | RowProps
    | ColumnProps
    | Filter
    | PivotTable
    | CheckCell
)
TableRule = Annotated[AnyRule, Field(discriminator="type"), AfterValidator(_obeyed)]
"""Any of the rules, told apart by its `type`."""
KINDS = [get_args(each.model_fields["type"].annotation)[0] for each in get_args(AnyRule)]
