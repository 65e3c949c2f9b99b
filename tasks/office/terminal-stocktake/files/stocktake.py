"""Asks for the counted numbers of the stocktake, and writes them down with a seal."""

import hashlib
from pathlib import Path

ITEMS = {
    "A-104": ("Oak board 27 mm", 118),
    "A-110": ("Pine board 22 mm", 240),
    "B-007": ("Hinge, brass", 1250),
    "B-019": ("Door handle, black", 86),
    "C-300": ("Lacquer, 5 l", 41),
    "C-312": ("Glue, 1 kg", 63),
}


def ask(text: str) -> str:
    """What is typed, without blanks around it."""
    return input(text).strip()


def number(text: str, books: int) -> int:
    """A counted number. One that is far from the books is asked for again."""
    while True:
        answer = ask(text)
        if not answer.isdecimal():
            print("  A number, please.")
        elif abs(int(answer) - books) * 5 <= books or ask(
            f"  The books say {books}. Is {answer} right? (y/n) "
        ).lower() == "y":
            return int(answer)


print("Stocktake, warehouse Halden. One number for each article.\n")
clerk = ask("Counted by: ")
lines = [f"clerk;{clerk}"]
for article, (name, books) in ITEMS.items():
    lines.append(f"{article};{number(f'{article}  {name}: ', books)}")
if ask("\nWrite the stocktake? It cannot be changed afterwards. (y/n) ").lower() == "y":
    seal = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    folder = Path.home() / "stocktake"
    folder.mkdir(exist_ok=True)
    (folder / "2026.csv").write_text("\n".join([*lines, f"seal;{seal}"]) + "\n")
    print("Written to", folder / "2026.csv")
else:
    print("Nothing was written.")
