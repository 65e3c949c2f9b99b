"""Checks the embeddings, the pairs and the index."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, refuse_other_changes, rows

PAIRS = [("1", "2"), ("3", "8"), ("4", "5")]

before = refuse_other_changes(
    "museum.sql",
    tables=[r"public\.(objects|likely_duplicates)"],
    definitions=[
        r"extension vector",
        r"(constraint|index) public\.(objects_embedding|likely_duplicates).*",
        r"index public\..*",
    ],
)
wrong = []
objects = rows("SELECT id, title, room FROM public.objects ORDER BY id")
if objects != before["public.objects"]:
    wrong.append(f"the objects are {objects}")
columns = rows(
    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
    " WHERE attrelid = 'public.objects'::regclass AND attnum > 0 AND NOT attisdropped"
)
kinds = {name: kind.split(".")[-1] for name, kind in columns}
if kinds != {"id": "integer", "title": "text", "room": "text", "embedding": "vector(4)"}:
    finish([f"the columns are {columns}"])
numbers = {number: f"[{text}]" for number, text in before["public.features"]}
embeddings = dict(rows("SELECT id, embedding FROM public.objects"))
if embeddings != {number: numbers.get(number) for number, title, room in objects}:
    wrong.append(f"the embeddings are {embeddings}")
pairs = rows("SELECT first, second FROM public.likely_duplicates")
if sorted(pairs) != PAIRS:
    wrong.append(f"the pairs are {pairs}")
indexes = rows(
    "SELECT pg_get_indexdef(indexrelid) FROM pg_index"
    " WHERE indrelid = 'public.objects'::regclass AND indisvalid AND indpred IS NULL"
)
if not any(
    ("USING hnsw (embedding " in text or "USING ivfflat (embedding " in text)
    and "vector_cosine_ops" in text
    for (text,) in indexes
):
    wrong.append(f"the indexes are {indexes}")
if not any("UNIQUE INDEX objects_pkey ON public.objects USING btree (id)" in t for (t,) in indexes):
    wrong.append("the primary key of objects is gone")
finish(wrong)
