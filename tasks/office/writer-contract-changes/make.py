"""Two versions of a lease: some clauses differ in substance."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, COMPANIES, spellings

FIRST = 21
"""The number of the first clause: none is as small as a number of months."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Three of ten clauses have changed: the rent, the notice and one more."""
    landlord, tenant = random.sample(COMPANIES, 2)
    city = random.choice(CITIES)
    rent = random.randint(80, 240) * 10
    new_rent = rent + random.randint(4, 15) * 10
    notice, new_notice = random.sample(range(3, 10), 2)
    third = random.choice(("deposit", "hours", "pets"))
    deposit = random.choice((2, 3))
    closing = random.choice((20, 21, 22))

    def clauses(*, new: bool) -> list[str]:
        return [
            f"{landlord} lets to {tenant} the shop at Quay Street {number + 10}, {city}.",
            "The lease begins on 1 February 2026 and runs for five years.",
            f"The rent is {new_rent if new else rent} euros a month, due on the third working day.",
            f"The tenant pays a deposit of {deposit + (new and third == 'deposit')} months' rent before"
            " moving in.",
            "The tenant keeps the shop window clean and lit until the evening.",
            f"Deliveries are allowed until {closing - (new and third == 'hours')} o'clock.",
            f"{'Dogs and cats' if new and third == 'pets' else 'Dogs'} may be kept on the premises.",
            f"Either party may end the lease with {new_notice if new else notice} months' notice.",
            "The tenant may not sublet without written consent.",
            "Repairs of roof and walls are for the landlord, all others for the tenant.",
        ]

    order = list(range(10))
    middle = order[1:]
    random.shuffle(middle)
    order = [0, *middle]
    for name, new in (("lease-draft-1.docx", False), ("lease-draft-2.docx", True)):
        document = docx.Document()
        document.add_heading("Lease", level=1)
        texts = clauses(new=new)
        for place, at in enumerate(order, FIRST):
            document.add_paragraph(f"{place}. {texts[at]}")
        write_document(document, files / name)
    numbers = sorted(
        order.index(at) + FIRST for at in (2, 7, {"deposit": 3, "hours": 5, "pets": 6}[third])
    )
    others = [at for at in range(FIRST, FIRST + 10) if at not in numbers]
    listed = f"{numbers[0]}, {numbers[1]} and {numbers[2]}"
    return {
        "landlord": landlord,
        "facts": [[str(at)] for at in numbers] + [spellings(new_notice), [str(new_rent)]],
        "absent": [*map(str, others), str(rent), *spellings(notice)],
        "right": f"Clauses {listed} have changed. The notice is now {new_notice} months, the rent"
        f" {new_rent} euros.",
        "words": f"New rent: {new_rent:,} euros. New notice period: {spellings(new_notice)[-1]} months."
        f" Changed clauses: {'; '.join(map(str, numbers))}.",
        "swapped": f"Clauses {listed} have changed. The notice is now {notice} months, the rent {rent}"
        " euros.",
        "partly": f"Clauses {numbers[0]} and {numbers[1]} have changed. The notice is now {new_notice}"
        f" months, the rent {new_rent} euros.",
    }
