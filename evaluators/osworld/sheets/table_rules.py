"""The rules of `compare_table`, one model for each type.

A sheet is given by its index in the result (`1`, "RI1") or in the expected workbook ("EI1"), or by
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
    if isinstance(name, str) and not _is_reference(name):
        raise ValueError(f"not a reference to a sheet (0, RI0, EI0, RNname or ENname): {name!r}")
    return name


def _is_reference(name: str) -> bool:
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
    # The library's aliases are resolved on instances only, so look in the class dictionaries.
    return any(name in vars(class_) for class_ in kind.__mro__)


def _property(kind: type) -> AfterValidator:
    """A validator for names of row or column properties."""

    def known(name: str) -> str:
        if not _has(kind, name):
            raise ValueError(f"{kind.__name__} has no property {name!r}")
        return name

    return AfterValidator(known)


Sheet = Annotated[int | str, AfterValidator(_sheet)]
Area = Annotated[str, AfterValidator(_area)]


class BaseRule(BaseModel):
    """Base of all rules. Extra keys are kept, so that they can be reported as unread."""

    model_config = ConfigDict(frozen=True, extra="allow")


class TwoSheetRule(BaseRule):
    """Base of rules that compare two sheets."""

    sheet_idx0: Sheet
    sheet_idx1: Sheet


class OneSheetRule(BaseRule):
    """Base of rules on one sheet."""

    sheet_idx: Sheet


class SheetName(BaseRule):
    """The sheets have the same names in the same order."""

    type: Literal["sheet_name"]


class SheetData(TwoSheetRule):
    """The cells have the same values, with numbers rounded to `precision` places."""

    type: Literal["sheet_data"]
    precision: int = 4
    ignore_case: bool | None = False


class SheetPrint(TwoSheetRule):
    """The sheets, exported as CSV files alongside their workbooks, have the same lines."""

    type: Literal["sheet_print"]
    ignore_case: bool | None = False


class FuzzyRange(BaseRule):
    """How the cells of some ranges are compared as texts."""

    range: list[Area]
    type: Literal["includes", "included_by", "fuzzy_match", "exact_match"]
    threshold: float = 85.0
    normalization: list[tuple[str, str]] = []
    ignore_chars: str = ""
    ignore_case: bool | None = False
    trim_leadings: str | None = ""
    trim_trailings: str | None = ""


class SheetFuzzy(TwoSheetRule):
    """Cells have similar texts."""

    type: Literal["sheet_fuzzy"]
    rules: list[FuzzyRange]


class Sparkline(TwoSheetRule):
    """The same cells have sparklines of the same data."""

    type: Literal["sparkline"]


class Chart(TwoSheetRule):
    """The charts show the same data and agree in these properties."""

    type: Literal["chart"]
    chart_props: list[
        Literal[
            "type", "title", "legend", "direction", "xtitle", "ytitle", "ztitle",
            "width", "height", "anchor",
        ]
    ] = []  # fmt: skip


class Style(TwoSheetRule):
    """All cells agree in these properties, with conditional formats applied."""

    type: Literal["style"]
    props: list[LOOKS] = []


class Freeze(TwoSheetRule):
    """The same number of rows and columns is frozen."""

    type: Literal["freeze"]


class Zoom(OneSheetRule):
    """The zoom in percent satisfies a value rule."""

    type: Literal["zoom"]
    method: str
    ref: object


class DataValidation(OneSheetRule):
    """Every data validation of the sheet satisfies one of these sets of value rules."""

    type: Literal["data_validation"]
    dv_props: list[dict[str, ValueRule]]


class RowProps(TwoSheetRule):
    """The rows agree in these properties."""

    type: Literal["row_props"]
    props: list[Annotated[str, _property(RowDimension)]] = []


class ColumnProps(TwoSheetRule):
    """The columns agree in these properties."""

    type: Literal["col_props"]
    props: list[Annotated[str, _property(ColumnDimension)]] = []


class Filter(TwoSheetRule):
    """The automatic filters are the same."""

    type: Literal["filter"]


class PivotTable(TwoSheetRule):
    """The pivot tables have the same source and agree in these properties."""

    type: Literal["pivot_table"]
    pivot_props: list[
        Literal[
            "name", "show_total", "show_empty_row", "show_empty_col", "show_headers",
            "location", "selection", "filter", "col_fields", "row_fields", "data_fields",
            "data_fields_name", "ordered",
        ]
    ] = []  # fmt: skip


class CheckCell(OneSheetRule):
    """The value and the formatting of one cell satisfy value rules."""

    type: Literal["check_cell"]
    coordinate: Annotated[str, Field(pattern=r"^\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}$")]
    props: dict[LOOKS | Literal["value"], ValueRule]


def _check_values(rule: AnyRule) -> AnyRule:
    if isinstance(rule, Zoom):
        well_formed({"method": rule.method, "ref": rule.ref})
    if isinstance(rule, DataValidation):
        for name in {name for props in rule.dv_props for name in props}:
            if not _has(Validation, name):
                raise ValueError(
                    f"unknown property of a validation: {name!r} (known: {', '.join(VALIDATION)})"
                )
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
TableRule = Annotated[AnyRule, Field(discriminator="type"), AfterValidator(_check_values)]
"""Any of the rules, distinguished by `type`."""
KINDS = [get_args(each.model_fields["type"].annotation)[0] for each in get_args(AnyRule)]
