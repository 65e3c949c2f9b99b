import unittest

from freight import price


class PriceTest(unittest.TestCase):
    def test_1(self):
        self.assertEqual(price(1, 'north', False, 0), 890)

    def test_2(self):
        self.assertEqual(price(2, 'north', False, 0), 890)

    def test_3(self):
        self.assertEqual(price(8, 'island', False, 0), 1980)

    def test_4(self):
        self.assertEqual(price(20, 'south', True, 0), 2568)

    def test_5(self):
        self.assertEqual(price(7, 'south', False, 15000), 0)

    def test_6(self):
        self.assertEqual(price(7, 'north', True, 15000), 300)
