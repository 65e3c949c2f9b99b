"""What the contract with the carrier asks for."""

# Contract of 2019, clause 4:
#   "Each parcel states its gross_weight, with one decimal."


def row(parcel):
    return {"number": parcel.number, "gross_weight": round(parcel.gross_weight, 1)}
