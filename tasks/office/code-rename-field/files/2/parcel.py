"""A parcel as the carrier takes it."""

from dataclasses import dataclass

max_parcel_length = 40


@dataclass
class Parcel:
    """The length is in centimetres."""

    number: str
    parcel_length: float

    def fits(self):
        return self.parcel_length <= max_parcel_length
