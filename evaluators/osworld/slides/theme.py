"""Effective colours in presentations: theme colours, and the inherited colours of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx.opc.constants import RELATIONSHIP_TYPE

__all__ = ["Theme", "text_colour"]

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
STYLES = {"title": "titleStyle", "ctrTitle": "titleStyle"}
OTHER = ("dt", "ftr", "sldNum")


class Theme:
    """The theme of a slide master."""

    def __init__(self, master: Any) -> None:
        self._names = dict(master._element.find("{*}clrMap").attrib)
        source = master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        scheme = etree.fromstring(source, parser).find(f".//{DRAWING}clrScheme")
        self._scheme = {} if scheme is None else {_name(element): element[0] for element in scheme}

    def colour(self, fill: Any) -> str | None:
        """The colour of a solid fill as RRGGBB; `None` if it cannot be determined, as for mixed or
        lightened colours."""
        if fill is None or len(fill) != 1 or len(fill[0]):
            return None
        return self._resolve(fill[0])

    def text(self) -> str | None:
        """The default colour of text."""
        return self._resolve(etree.Element("schemeClr", val="tx1"))

    def _resolve(self, colour: Any) -> str | None:
        if _name(colour) == "schemeClr":
            name = colour.get("val", "")
            colour = self._scheme.get(self._names.get(name, name))
            if colour is None:  # a placeholder that equals no real colour
                return f"{name} of no theme"
        if _name(colour) not in ("srgbClr", "sysClr") or len(colour):
            return None
        return str(colour.get("lastClr") or colour.get("val")).upper()


def text_colour(theme: Theme, slide: Any, shape: Any, paragraph: Any, run: Any) -> str | None:
    """The colour of a run of text, its own or inherited."""
    for properties in _inherited(slide, shape, paragraph.level, run):
        fill = properties.find(f"{DRAWING}solidFill")
        if fill is not None:
            return theme.colour(fill)
    return theme.text()


def _inherited(slide: Any, shape: Any, level: int, run: Any) -> Iterator[Any]:
    """The text properties that apply to a run, nearest first."""
    own = run._r.find(f"{DRAWING}rPr")
    if own is not None:
        yield own
    master = slide.slide_layout.slide_master
    at = f"{DRAWING}lvl{level + 1}pPr/{DRAWING}defRPr"
    holder = shape
    while holder is not None:
        yield from holder._element.iterfind(f"{{*}}txBody/{DRAWING}lstStyle/{at}")
        holder = getattr(holder, "_base_placeholder", None)
    if shape.is_placeholder:
        kind = shape._element.find(".//{*}nvPr/{*}ph").get("type", "obj")
        style = STYLES.get(kind, "otherStyle" if kind in OTHER else "bodyStyle")
        yield from master._element.iterfind(f"{{*}}txStyles/{{*}}{style}/{at}")
    else:
        presentation = slide.part.package.presentation_part._element
        yield from presentation.iterfind(f"{{*}}defaultTextStyle/{at}")


def _name(element: Any) -> str:
    return str(etree.QName(element).localname)
