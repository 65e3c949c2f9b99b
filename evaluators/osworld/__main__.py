"""Print what each of OSWorld's metrics compares, where OSWorld's own is defective, and what strict
verdicts repair. `python -m ambidex.evaluators.osworld` writes docs/osworld-metrics.md."""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.evaluators.osworld.registry import metrics

HEAD = """# OSWorld's metrics

One row for each of OSWorld's metrics, generated from the code by
`python -m ambidex.evaluators.osworld`. *compat* is the verdict that OSWorld itself gives, defects
included; *strict* is the verdict with the listed repairs. A metric without repairs gives the same
verdict in both modes. Scores may be fractions; the run's threshold decides what counts as success.

In both modes a file is refused (score 0, with the reason) where opening it would be unsafe: an
archive that unpacks to too much, a document type in an office file, a sheet or a page count beyond
the bounds. The text of a PDF is read with another library than upstream's; it is compared with text
read the same way.

| metric | what is compared | defect upstream (compat keeps it) | repair (strict) |
|---|---|---|---|
"""


def table() -> str:
    """The page, as it stands in docs/."""
    return HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for _, each in sorted(metrics().items()):
        halves = [repair.partition(": ") for repair in each.repairs]
        cells = (
            f"`{each.name}`",
            " ".join(each.description.split()),
            _numbered([defect for _, _, defect in halves]),
            _numbered([mended for mended, _, _ in halves]),
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _numbered(sentences: list[str]) -> str:
    """A repair says "what holds now: what upstream does", so its halves keep one number."""
    ended = [
        f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}." if sentence else "–"
        for sentence in sentences
    ]
    if len(ended) == 1:
        return ended[0]
    return "<br>".join(f"{number}. {each}" for number, each in enumerate(ended, start=1))


if __name__ == "__main__":
    print(table(), end="")
