import unittest

from contract import row
from parcel import Parcel


class RowTest(unittest.TestCase):
    def test_row(self):
        parcel = Parcel("P-1", parcel_length=6.04)
        self.assertEqual(row(parcel), {"number": "P-1", "parcel_length": 6.0})
