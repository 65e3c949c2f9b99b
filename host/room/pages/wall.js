// The running trials, those that need attention first, and the runs with all their trials.
import { el } from "./dom.js";
import { Card } from "./card.js";
import { Filters } from "./filters.js";
import { Group } from "./group.js";
import { trialsInTrees } from "./relations.js";
import { Pair } from "./pair.js";
import { RunDialogs } from "./runs.js";
import { needing } from "./state.js";

const FEW = 8; // up to as many runs are all open at first; of more, those running and the latest
const LATEST = 3;

export class Wall {
  constructor(place, query) {
    this.cards = new Map();
    this.groups = new Map();
    this.pair = new Pair();
    this.filters = new Filters(query, () => this.redraw());
    this.dialogs = new RunDialogs();
    this.summary = el("p.quiet", { role: "status" });
    this.grid = el("div.wall");
    this.begun = el("div.begun", { role: "status" });
    this.list = el("div");
    this.none = el("p.quiet", { hidden: true }, "No trial matches these filters.");
    place.append(
      el("div.title", {}, el("h1", {}, "Trials"), el("button.primary", { onclick: () => this.dialogs.start(this.state) }, "Start a run …")),
      this.summary, this.filters.root, this.begun, this.grid, this.list, this.none, this.dialogs.root,
    );
  }

  close() {
    for (const group of this.groups.values()) group.close();
  }

  update(state) {
    const runs = state.version !== this.version;
    [this.state, this.version] = [state, state.version];
    const inTrees = trialsInTrees(state);
    const names = [...inTrees].join(" ");
    const wanting = needing(state).map((trial) => trial.run).join(" ");
    const changed = runs || names !== this.names || wanting !== this.wanting;
    [this.inTrees, this.names, this.wanting] = [inTrees, names, wanting];
    if (runs) this.filters.offer(state.runs);
    this.dialogs.runs = state.runs;
    this.live();
    this.starting();
    if (changed) this.runs();
    this.summarise();
  }

  // A filter has changed.
  redraw() {
    if (!this.state) return;
    this.live();
    this.runs();
    this.summarise();
  }

  summarise() {
    const { live, runs } = this.state;
    const sum = (name) => runs.reduce((total, run) => total + (run[name] || 0), 0);
    this.summary.textContent = `${live.length} running, ${needing(this.state).length} needing attention, ${sum("done")} of ${sum("planned")} trials done`
      + (this.filters.active ? `; ${this.shown} shown` : "");
    this.none.hidden = !this.filters.active || this.shown > 0;
  }

  live() {
    const of = new Map(this.state.runs.map((run) => [run.run, run]));
    const live = this.state.live.filter((trial) => this.filters.live(trial, of.get(trial.run)));
    const seen = new Set();
    live.forEach((trial, at) => {
      const name = `${trial.run}/${trial.trial}`;
      seen.add(name);
      if (!this.cards.has(name)) this.cards.set(name, new Card(trial));
      const card = this.cards.get(name);
      card.update(trial, this.inTrees.has(card.path));
      if (this.grid.children[at] !== card.root) this.grid.insertBefore(card.root, this.grid.children[at] || null);
    });
    for (const [name, card] of this.cards) {
      if (seen.has(name)) continue;
      card.root.remove();
      this.cards.delete(name);
    }
    this.liveShown = live.length;
  }

  // The runs, those that are running first, then the ones that changed last.
  runs() {
    const runs = [...this.state.runs].sort((one, other) => Boolean(other.active) - Boolean(one.active) || (other.changed || 0) - (one.changed || 0));
    const names = new Set(runs.map((run) => run.run));
    for (const [name, group] of this.groups) {
      if (names.has(name)) continue;
      group.close();
      group.root.remove();
      this.groups.delete(name);
    }
    const wanting = needing(this.state);
    const filtered = this.filters.active;
    this.shown = this.liveShown;
    runs.forEach((run, at) => {
      if (!this.groups.has(run.run)) this.groups.set(run.run, new Group(run.run, this.pair, this.dialogs));
      const group = this.groups.get(run.run);
      if (this.list.children[at] !== group.root) this.list.insertBefore(group.root, this.list.children[at] || null);
      const rows = this.filters.rows(run);
      group.root.hidden = filtered && !rows.length;
      this.shown += rows.length;
      const open = Boolean(run.active) || runs.length <= FEW || at < LATEST;
      group.show(run, rows, { inTrees: this.inTrees, open, filtered, wanting: wanting.filter((trial) => trial.run === run.run).length });
    });
    for (const group of this.groups.values()) group.rows.draw(); // where all have their place
  }

  // Runs that were started from this page and are not there yet, or failed.
  starting() {
    const told = JSON.stringify(this.state.started);
    if (told === this.told) return;
    this.told = told;
    const there = new Set(this.state.runs.map((run) => run.run));
    const shown = this.state.started.filter((start) => start.state === "failed" || (start.state === "running" && !there.has(start.run)));
    this.begun.replaceChildren(...shown.map((start) => el("p", {},
      el("span.chip", { "data-state": start.state }, start.state === "failed" ? "failed" : "starting"), ` ${start.run}`,
      start.why ? el("span.result.error", {}, start.why) : null)));
  }

  key(event) {
    if (event.key === "/") this.filters.search.focus();
    else if (event.key === "a") this.filters.set("attention", this.filters.values.attention ? "" : "1");
    else if (event.key === "n") this.dialogs.start(this.state);
    else return;
    event.preventDefault();
  }
}
