"""A parcel as the carrier takes it."""

from dataclasses import dataclass

max_parcel_value = 40


@dataclass
class Parcel:
    """The amount is in euros."""

    number: str
    parcel_value: float

    def fits(self):
        return self.parcel_value <= max_parcel_value
