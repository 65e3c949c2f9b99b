"""The text of labels."""

from pathlib import Path


def label(parcel):
    text = Path("templates/label.txt").read_text()
    return text.format(number=parcel.number, parcel_value=parcel.parcel_value)
