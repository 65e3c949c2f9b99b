"""Workbooks rewritten as other programs would write them, and damaged files."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from random import Random

__all__ = ["repacked", "spoiled"]


def spoiled(random: Random, path: Path) -> str:
    """Damage the file in a way that a metric may encounter; returns the name of the damage."""
    content = path.read_bytes()
    match random.randrange(5):
        case 0:
            path.unlink()
            return "missing"
        case 1:
            path.write_bytes(b"")
            return "empty"
        case 2:
            path.write_bytes(content[: len(content) // 2])
            return "cut"
        case 3:
            path.write_bytes(b"Name,Sum\na,1\n")
            return "another kind of file"
        case _:
            path.write_bytes(content + b"more")
            return "with bytes at its end"


def repacked(random: Random, path: Path) -> str:
    """Rewrite the package as another program would; returns the name of the variant."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    how = random.choice(list(PACKINGS))
    pattern, old, new = PACKINGS[how]
    for name in [name for name in members if re.fullmatch(pattern, name)]:
        members[name] = re.sub(
            old.encode(), new.encode(), members[name], count=random.choice([0, 1])
        )
    if how == "sheets under other numbers":
        moved = members.pop("xl/worksheets/sheet1.xml")
        members["xl/worksheets/sheet7.xml"] = moved
        for name in ("[Content_Types].xml", "xl/_rels/workbook.xml.rels"):
            members[name] = members[name].replace(
                b"worksheets/sheet1.xml", b"worksheets/sheet7.xml"
            )
        relations = members.pop("xl/worksheets/_rels/sheet1.xml.rels", None)
        if relations is not None:
            members["xl/worksheets/_rels/sheet7.xml.rels"] = relations
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return how


SHEETS, TEXTS = r"xl/worksheets/sheet\d+\.xml", r"xl/sharedStrings\.xml"
PACKINGS = {
    "texts in their cells": (SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")? t="s"><v>\d+</v></c>',
                             r'<c r="\1"\2 t="inlineStr"><is><t>Ann</t></is></c>'),
    "texts in their cells, kept blanks": (
        SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")? t="s"><v>\d+</v></c>',
        r'<c r="\1"\2 t="inlineStr"><is><t xml:space="preserve"> Ann </t></is></c>'),
    "texts in runs in their cells": (
        SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")? t="s"><v>\d+</v></c>',
        r'<c r="\1"\2 t="inlineStr"><is><r><t>An</t></r><r><t>n</t></r></is></c>'),
    "shared texts in runs": (TEXTS, r"<si><t[^>]*>([^<]*)</t></si>",
                             r"<si><r><t>\1</t></r><r><t>x</t></r></si>"),
    "shared texts read aloud": (TEXTS, r"<si><t[^>]*>([^<]*)</t></si>",
                                r'<si><t>\1</t><rPh sb="0" eb="1"><t>rd</t></rPh></si>'),
    "an empty shared text": (TEXTS, r"<si><t[^>]*>[^<]*</t></si>", r"<si><t/></si>"),
    "empty values": (SHEETS, r"<v>\d+</v>", "<v/>"),
    "no values": (SHEETS, r"<v>\d+</v>", ""),
    "values with blanks": (SHEETS, r"<v>(\d+)</v>", r"<v> \1 </v>"),
    "texts that are not shared": (SHEETS, r't="s"><v>\d+</v>', 't="s"><v>9999</v>'),
    "results as texts": (SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")?><v>(\d+)</v></c>',
                         r'<c r="\1"\2 t="str"><v>\3 </v></c>'),
    "truth values": (SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")?><v>\d+</v></c>',
                     r'<c r="\1"\2 t="b"><v>1</v></c>'),
    "days as days": (SHEETS, r'<c r="([A-Z]+\d+)"( s="\d+")?><v>\d+</v></c>',
                     r'<c r="\1"\2 t="d"><v>2024-01-02</v></c>'),
    "cells without names": (SHEETS, r'<c r="[A-Z]+\d+"', "<c"),
    "fonts without colours": (r"xl/styles\.xml", r"<color [^>]*/>", ""),
    "fonts in RGB": (r"xl/styles\.xml", r"<color [^>]*/>", '<color rgb="FF112233"/>'),
    "fonts of the palette": (r"xl/styles\.xml", r"<color [^>]*/>", '<color indexed="10"/>'),
    "fonts without sizes": (r"xl/styles\.xml", r"<sz [^>]*/>", ""),
    "fills without alpha": (r"xl/styles\.xml", r'<fgColor rgb="FF', '<fgColor rgb="00'),
    "gradients": (r"xl/styles\.xml", r"<patternFill patternType=.solid.>.*?</patternFill>",
                  '<gradientFill><stop position="0"><color rgb="FF000000"/></stop></gradientFill>'),
    "titles in runs": (r"xl/charts/chart\d+\.xml", r"<a:t>(\w)", r"<a:t>\1</a:t></a:r><a:r><a:t>"),
    "titles in paragraphs": (r"xl/charts/chart\d+\.xml", r"<a:p>", "<a:p/><a:p>"),
    "references without $": (r"xl/charts/chart\d+\.xml", r"\$", ""),
    "no references": (r"xl/charts/chart\d+\.xml", r"<c:cat>.*?</c:cat>", ""),
    "no legend": (r"xl/charts/chart\d+\.xml", r"<c:legend>.*?</c:legend>", ""),
    "charts at one cell": (r"xl/drawings/drawing\d+\.xml",
                           r"<xdr:twoCellAnchor[^>]*>(.*?)<xdr:to>.*?</xdr:to>(.*?)</xdr:twoCellAnchor>",
                           r'<xdr:oneCellAnchor>\1<xdr:ext cx="9" cy="9"/>\2</xdr:oneCellAnchor>'),
    "sheets under other numbers": ("", "x^", ""),
    "other numbers of sheets": (r"xl/workbook\.xml", r'sheetId="(\d)"', r'sheetId="1\1"'),
    "hidden sheets": (r"xl/workbook\.xml", r'sheetId="1"', 'sheetId="1" state="hidden"'),
    "rows in order": (SHEETS, r'<row r="\d+"', "<row"),
    "panes without states": (SHEETS, r' state="\w+"', ""),
    "conditions without looks": (SHEETS, r' dxfId="\d+"', ""),
    "filters by colour": (SHEETS, r"<filters>.*?</filters>", '<colorFilter dxfId="0"/>'),
}  # fmt: skip
"""By variant: a pattern of member names, a pattern in their text, and its replacement."""
