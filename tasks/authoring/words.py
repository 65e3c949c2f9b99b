"""Names that the instances of tasks are drawn from."""

__all__ = ["CITIES", "COMPANIES", "FIRST_NAMES", "LAST_NAMES", "NUMBERS", "PRODUCTS", "spellings"]

COMPANIES = (
    "Adler Optik", "Bakker Freight", "Castellan Foods", "Dunmore Textiles", "Elmtree Nurseries",
    "Fjord Marine", "Galway Ceramics", "Hartmann Tools", "Ibarra Citrus", "Jansson Paper",
    "Kowalski Glass", "Lumière Lighting", "Moreau Cheese", "Northgate Steel", "Okafor Timber",
    "Petrov Bearings", "Quinn Bicycles", "Rossi Leather", "Sato Ceramics", "Tanaka Seals",
    "Ueda Instruments", "Vance Roofing", "Wexford Dairy", "Yilmaz Carpets",
)  # fmt: skip
FIRST_NAMES = (
    "Amara", "Benoît", "Chidi", "Dagny", "Elif", "Farah", "Goran", "Hana", "Imre", "Jolanta",
    "Kenji", "Leila", "Marek", "Nadia", "Oskar", "Priya", "Rafael", "Saskia", "Tomás", "Ulla",
    "Viktor", "Wanjiku", "Yusuf", "Zofia",
)  # fmt: skip
LAST_NAMES = (
    "Abebe", "Brandt", "Cruz", "Dahl", "Eriksen", "Fonseca", "Gallo", "Haddad", "Ivanova",
    "Jung", "Keller", "Lindqvist", "Mbeki", "Novak", "Oduya", "Park", "Quintero", "Rossi", "Sato",
    "Tanaka", "Urban", "Varga", "Weber", "Zielinski",
)  # fmt: skip
CITIES = (
    "Aarhus", "Basel", "Cork", "Dresden", "Esbjerg", "Faro", "Ghent", "Haarlem", "Innsbruck",
    "Jena", "Kraków", "Lyon", "Malmö", "Nantes", "Oulu", "Porto", "Rouen", "Turku", "Utrecht",
    "Verona",
)  # fmt: skip
PRODUCTS = (
    "Anchor bolt", "Bench vice", "Chain hoist", "Drill bit", "Edge trim", "File set", "Grinder",
    "Hand saw", "Impact driver", "Jack stand", "Knife blade", "Level", "Mallet", "Nail gun",
    "Oil can", "Pipe wrench", "Rivet", "Spanner", "Tape measure", "Utility lamp",
)  # fmt: skip
NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def spellings(number: int) -> list[str]:
    """How an answer in words may write a number: in digits and, up to twelve, as a word."""
    return [str(number), *NUMBERS[number : number + 1]]
