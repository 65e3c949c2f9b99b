"""Number format codes for Calc and Excel, from a description in words."""

from __future__ import annotations

from typing import Optional

__all__ = ["format_code", "short_format"]

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
"""Currency symbols; other currencies are shown by their code."""
PLACES = {"currency": 2, "accounting": 2, "percentage": 2, "scientific": 2}


def format_code(kind: str, places: Optional[int], currency: str, thousands: Optional[bool]) -> str:
    """English format code for a kind of number, such as 0.00%."""
    count = PLACES.get(kind, 0) if places is None else places
    digits = "." + "0" * count if count else ""
    money = kind in ("currency", "accounting")
    whole = "#,##0" if (money if thousands is None else thousands) else "0"
    symbol = SYMBOLS.get(currency.upper(), currency)
    # A space follows a currency code but not a symbol: CHF 5.00, $5.00.
    prefix = f"[${symbol}]" + (" " if symbol[-1:].isalpha() else "")
    figures = whole + digits
    return {
        "general": "General",
        "number": figures,
        "currency": f"{prefix}{figures};-{prefix}{figures}",
        "accounting": f'_-{prefix}* {figures}_-;-{prefix}* {figures}_-;_-{prefix}* "-"_-;_-@_-',
        "date": "YYYY-MM-DD",
        "time": "HH:MM:SS",
        "percentage": f"{figures}%",
        "fraction": "# ?/?",
        "scientific": f"0{digits}E+00",
        "text": "@",
    }[kind]


def short_format(places: int, negative: bool) -> str:
    """Format code that shows millions as 1.2 M and billions as 3.4 B. A format has only two
    conditions, so negative numbers need a format of their own.
    """
    digits = "0." + "0" * places if places else "0"
    if negative:
        return f'[<=-1000000000]{digits},,," B";[<=-1000000]{digits},," M";General'
    return f'[>=1000000000]{digits},,," B";[>=1000000]{digits},," M";General'
