"""The freight of parcels, in cents."""

STEPS = [(8, 1190), (10, 1290), (30, 1590)]
ZONES = {'north': 100, 'south': 110, 'island': 200}
BULKY = 250
FREE_FROM = 15000


def price(weight, zone, bulky=False, order=0):
    """The freight of a parcel, as README.md says."""
    for limit, cents in STEPS:
        if weight < limit:
            break
    else:
        raise ValueError("too heavy for a parcel")
    cents = cents * ZONES[zone] // 100
    if order >= FREE_FROM:
        return 0
    if bulky:
        cents += BULKY
    return cents
