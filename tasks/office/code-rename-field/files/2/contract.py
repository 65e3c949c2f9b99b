"""What the contract with the carrier asks for."""

# Contract of 2019, clause 5:
#   "Each parcel states its parcel_length, with one decimal."


def row(parcel):
    return {"number": parcel.number, "parcel_length": round(parcel.parcel_length, 1)}
