"""Compares the tickets with the expected ones."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

EXPECTED = {
    "tickets/101.txt": """\
Status: closed
From: Customer 1 <customer1@example.invalid>

The lamp flickers. I live in Bergstrasse 4.

Customer 1
--
Answered by Anna Holm
""",
    "tickets/102.txt": """\
Status: open
From: Customer 2 <customer2@example.invalid>

Customer 3 told me to write. Please answer to customer3@example.invalid as well.

Customer 2
""",
    "tickets/103.txt": """\
Status: closed
From: Customer 4 <customer4@example.invalid>

Customer 4's order has not arrived. I am not Customer 1!
--
Answered by Tom Nolan: status is closed
""",
    "tickets/104.txt": """\
Status: open
From: shop@example.com

Phone call: Customer 3 wants a refund. Status: closed? No.
""",
}

finish({**originals(), **EXPECTED})
