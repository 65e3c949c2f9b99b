"""Print the table of OSWorld's metrics: what each compares, upstream's defects and the repairs.

`python -m ambidex.evaluators.osworld` prints docs/osworld-metrics.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.evaluators.osworld.registry import metrics

HEAD = """# OSWorld's metrics

One row for each of OSWorld's metrics, generated from the code by
`python -m ambidex.evaluators.osworld`. *compat* is the verdict that OSWorld itself gives, defects
included; *strict* is the verdict with the listed repairs. A metric without repairs gives the same
verdict in both modes. Scores may be fractions; the run's threshold decides what counts as success.

In both modes a file is refused (score 0, with the reason) if opening it would be unsafe: an archive
that unpacks to too much data, a document type in an office file, a sheet or a page count beyond the
bounds. The text of PDFs is extracted with another library than upstream's, on both sides of a
comparison.

| metric | what is compared | defect upstream (compat keeps it) | repair (strict) |
|---|---|---|---|
"""


def table() -> str:
    """The text of docs/osworld-metrics.md."""
    return HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for _, metric in sorted(metrics().items()):
        halves = [repair.partition(": ") for repair in metric.repairs]
        cells = (
            f"`{metric.name}`",
            " ".join(metric.description.split()),
            _numbered([defect for _, _, defect in halves]),
            _numbered([fixed for fixed, _, _ in halves]),
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _numbered(sentences: list[str]) -> str:
    """Number the items, so that both halves of a repair ("now: upstream") have the same number."""
    items = [
        f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}." if sentence else "–"
        for sentence in sentences
    ]
    if len(items) == 1:
        return items[0]
    return "<br>".join(f"{number}. {item}" for number, item in enumerate(items, start=1))


if __name__ == "__main__":
    print(table(), end="")
