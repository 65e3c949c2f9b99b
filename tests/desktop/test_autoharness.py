"""A sample of the catalogs of cua-auto-harness, judged by its own probes on a real desktop. `python
-m bench autoharness` plays all entries."""

from __future__ import annotations

from pathlib import Path

from ambidex.vm import Machine
from bench.peers.autoharness import catalog, play

SAMPLE = {
    "click_middle",
    "click_double_left",
    "click_ctrl_shift_right",
    "drag_multipoint_l_shape",
    "key_kp_add",
    "scroll_at_offcenter_position",
    "type_shell_hostile",
    "type_emoji_zwj",
}
"""Some of each kind of input."""


def test_a_sample_of_the_catalogs_passes(machine: Machine, tmp_path: Path) -> None:
    entries = [entry for entry in catalog() if entry.id in SAMPLE]
    assert play(machine, entries, tmp_path, times=1) == dict.fromkeys(SAMPLE, "pass")
