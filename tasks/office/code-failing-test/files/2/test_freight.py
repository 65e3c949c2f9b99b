import unittest

from freight import price


class PriceTest(unittest.TestCase):
    def test_1(self):
        self.assertEqual(price(7, 'north', False, 0), 1190)

    def test_2(self):
        self.assertEqual(price(8, 'north', False, 0), 1190)

    def test_3(self):
        self.assertEqual(price(10, 'island', False, 0), 2580)

    def test_4(self):
        self.assertEqual(price(30, 'south', True, 0), 1999)

    def test_5(self):
        self.assertEqual(price(9, 'south', False, 15000), 0)

    def test_6(self):
        self.assertEqual(price(9, 'north', True, 15000), 250)
