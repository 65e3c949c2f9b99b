"""Compares the translations with the expected ones, in order."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals, read

GERMAN = {
    "title": "Gartenplaner",
    "menu": {
        "open": "Öffnen",
        "save": "Sichern",
        "print": "TODO Print",
    },
    "bed": {
        "new": "TODO New bed",
        "size": "Größe in Metern",
    },
    "bye": "TODO Goodbye",
}
FRENCH = {
    "title": "Planificateur de jardin",
    "menu": {
        "open": "Ouvrir",
        "save": "Enregistrer",
        "print": "",
    },
    "bed": {
        "new": "TODO New bed",
        "size": "TODO Size in metres",
    },
    "bye": "Au revoir",
}

expected, wrong = originals(), []
portuguese = json.loads(expected["locale/pt.json"])
for language, texts in (("de", GERMAN), ("fr", FRENCH), ("pt", portuguese)):
    path = f"locale/{language}.json"
    try:
        found = json.loads(read(path), object_pairs_hook=list)
    except ValueError as error:
        wrong.append(f"{path} is not JSON: {error}")
        continue
    if found != json.loads(json.dumps(texts), object_pairs_hook=list):
        wrong.append(f"{path} has {found}")
    expected[path] = read(path)
finish(expected, wrong)
