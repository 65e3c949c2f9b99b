import unittest

from freight import price


class PriceTest(unittest.TestCase):
    def test_1(self):
        self.assertEqual(price(9, 'north', False, 0), 390)

    def test_2(self):
        self.assertEqual(price(10, 'north', False, 0), 390)

    def test_3(self):
        self.assertEqual(price(15, 'island', False, 0), 2980)

    def test_4(self):
        self.assertEqual(price(30, 'south', True, 0), 2398)

    def test_5(self):
        self.assertEqual(price(14, 'south', False, 20000), 0)

    def test_6(self):
        self.assertEqual(price(14, 'north', True, 20000), 250)
