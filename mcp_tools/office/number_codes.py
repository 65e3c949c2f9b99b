"""Number formats as codes: what is asked for in words, spelled as Calc and Excel read it."""

from __future__ import annotations

from typing import Optional

__all__ = ["code", "short"]

SYMBOLS = {
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "CNY": "¥",
    "JPY": "¥",
    "INR": "₹",
    "KRW": "₩",
    "RUB": "₽",
    "ILS": "₪",
    "TRY": "₺",
    "UAH": "₴",
    "VND": "₫",
}
"""What stands for a currency; of other currencies the code itself is shown."""
PLACES = {"currency": 2, "accounting": 2, "percentage": 2, "scientific": 2}


def code(kind: str, places: Optional[int], currency: str, thousands: Optional[bool]) -> str:
    """The format code of that kind in English, such as 0.00%."""
    count = PLACES.get(kind, 0) if places is None else places
    digits = "." + "0" * count if count else ""
    money = kind in ("currency", "accounting")
    whole = "#,##0" if (money if thousands is None else thousands) else "0"
    symbol = SYMBOLS.get(currency.upper(), currency)
    # A symbol of letters stands apart from the number: CHF 5.00, $5.00.
    shown = f"[${symbol}]" + (" " if symbol[-1:].isalpha() else "")
    figures = whole + digits
    return {
        "general": "General",
        "number": figures,
        "currency": f"{shown}{figures};-{shown}{figures}",
        "accounting": f'_-{shown}* {figures}_-;-{shown}* {figures}_-;_-{shown}* "-"_-;_-@_-',
        "date": "YYYY-MM-DD",
        "time": "HH:MM:SS",
        "percentage": f"{figures}%",
        "fraction": "# ?/?",
        "scientific": f"0{digits}E+00",
        "text": "@",
    }[kind]


def short(places: int, negative: bool) -> str:
    """Millions as 1.2 M and billions as 3.4 B; a format can tell only two sizes apart, so numbers
    below zero have one of their own.
    """
    digits = "0." + "0" * places if places else "0"
    if negative:
        return f'[<=-1000000000]{digits},,," B";[<=-1000000]{digits},," M";General'
    return f'[>=1000000000]{digits},,," B";[>=1000000]{digits},," M";General'
