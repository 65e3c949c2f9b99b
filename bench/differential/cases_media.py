"""Cases of the metrics on sounds and videos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from mutagen.id3 import ID3, TALB, TIT2, TPE1, TRCK

from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.media.media import RATE
from bench.differential import NO_FILE, Case, Cases, Given
from bench.differential.cases_values import REFUSED, rare, value_rule
from bench.differential.mutants import asked, spoiled_text, text_mutant
from tests.evaluators.osworld.test_media import CASES as MEDIA
from tests.evaluators.osworld.test_media import film, mp3, shots, tune, waves

NEAR = 1e-3
"""Two sound decoders, and another search for the best alignment."""


def sounds(random: Random, folder: Path) -> Iterator[Case]:
    """A tune, and a nearly equal one."""
    for case in asked("compare_audios", folder, MEDIA):
        yield replace(case, near=NEAR)
    while True:
        samples = tune(random.choice([2, 3, 5]))[: RATE * random.choice([1, 2])]
        note = random.choice(["equal", "louder", "shorter", "noise", "slower", "silent", "as mp3"])
        other = samples
        match note:
            case "louder":
                other = samples * 1.5
            case "shorter":
                other = samples[: len(samples) // 2]
            case "noise":
                grain = np.random.default_rng(random.randrange(99)).normal(0, 0.05, len(samples))
                other = (samples + grain).clip(-1, 1).astype(np.float32)
            case "slower":
                other = np.repeat(samples, 2)[: len(samples)]
            case "silent":
                other = samples * 0
        make = mp3(other) if note == "as mp3" else waves(other)
        result, expected = make(folder), waves(samples, "gold.wav")(folder)
        given: Value | Given = expected
        if random.random() < 0.08:
            note = f"a file {spoiled_text(random, random.choice([result, expected]))}"
        elif random.random() < 0.04:
            note, given = "nothing expected", NO_FILE
        yield Case("compare_audios", result, given, {}, note, NEAR)


def films(random: Random, folder: Path) -> Iterator[Case]:
    """A video, and a nearly equal one."""
    yield from asked("compare_videos", folder, MEDIA)
    while True:
        count = random.choice([8, 20])
        unlike = random.choice([0, 0, 4, 5, 6, 7])
        more = random.choice([0, 0, 0, 1, -1])
        result = film(shots(count + more, unlike))(folder)
        expected = film(shots(count), "gold.mp4")(folder)
        note = f"{unlike} unlike, {more} more"
        if random.random() < 0.1:
            note = f"a file {spoiled_text(random, random.choice([result, expected]))}"
        yield Case("compare_videos", result, expected, {}, note)


NAMES = ["Missing You", "Cheng Xiang", "Tears", "", "1", "a,b"]


def tags(random: Random, folder: Path) -> Iterator[Case]:
    """Tags of a sound, and rules for them."""
    yield from asked("check_mp3_meta", folder, MEDIA)
    sound = mp3(tune(3)[: RATE // 4])(folder).read_bytes()
    while True:
        path = folder / "a.mp3"
        path.write_bytes(sound)
        held: dict[str, str] = {}
        if random.random() < 0.9:
            made = ID3()
            for key, frame in (
                ("title", TIT2),
                ("artist", TPE1),
                ("album", TALB),
                ("tracknumber", TRCK),
            ):
                if random.random() < 0.7:
                    texts = [random.choice(NAMES) for _ in range(random.choice([1, 1, 2]))]
                    made.add(frame(encoding=3, text=texts))
                    held[key] = ",".join(texts)
            made.save(path)
        rules: dict[str, Any] = {}
        for key in random.sample(["title", "artist", "album", "tracknumber", "odd"], 2):
            rules[key] = value_rule(random, text_mutant(random, held.get(key, ""), 0.7)[1])
        said, rules = rare(random, rules)
        note = "tags"
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_mp3_meta", path, rules, {}, said or note)


REASONS = {"another rule": REFUSED}
CASES: dict[str, Cases] = {
    "compare_audios": sounds,
    "compare_videos": films,
    "check_mp3_meta": tags,
}
