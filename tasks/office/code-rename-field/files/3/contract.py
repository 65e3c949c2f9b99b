"""What the contract with the carrier asks for."""

# Contract of 2019, clause 8:
#   "Each parcel states its parcel_value, with one decimal."


def row(parcel):
    return {"number": parcel.number, "parcel_value": round(parcel.parcel_value, 1)}
