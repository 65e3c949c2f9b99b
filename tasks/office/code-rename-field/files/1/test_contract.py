import unittest

from contract import row
from parcel import Parcel


class RowTest(unittest.TestCase):
    def test_row(self):
        parcel = Parcel("P-1", gross_weight=5.04)
        self.assertEqual(row(parcel), {"number": "P-1", "gross_weight": 5.0})
