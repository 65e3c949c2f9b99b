"""A parcel as the carrier takes it."""

from dataclasses import dataclass

max_gross_weight = 30


@dataclass
class Parcel:
    """The weight is in kilograms."""

    number: str
    gross_weight: float

    def fits(self):
        return self.gross_weight <= max_gross_weight
