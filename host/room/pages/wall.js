// The running trials, those that need attention first, and the tables of trials that have ended.
import { callText, dollars, el, seconds, trialPath } from "./dom.js";
import { related } from "./kin.js";
import { Pair } from "./pair.js";

const STATES = { setup: "being set up", running: "running", paused: "paused", human: "a person is in control", ended: "ended" };

export class Wall {
  constructor(place) {
    this.cards = new Map();
    this.pair = new Pair();
    this.summary = el("p.quiet");
    this.grid = el("div.wall");
    this.ended = el("div");
    place.append(el("h1", {}, "Trials"), this.summary, this.grid, this.ended);
    this.runs = null;
  }

  update(state) {
    const alarmed = state.live.filter((trial) => trial.alarms.length).length;
    const done = state.runs.reduce((sum, run) => sum + run.rows.filter((row) => row.fate === "scored").length, 0);
    const planned = state.runs.reduce((sum, run) => sum + Math.max(run.planned, run.rows.length), 0);
    this.summary.textContent = `${state.live.length} running, ${alarmed} needing attention, ${done} of ${planned} scored`;
    const seen = new Set();
    const kin = related(state);
    state.live.forEach((trial, at) => {
      const name = `${trial.run}/${trial.trial}`;
      seen.add(name);
      if (!this.cards.has(name)) this.cards.set(name, new Card(trial));
      const card = this.cards.get(name);
      card.update(trial, kin.has(card.path));
      if (this.grid.children[at] !== card.root) this.grid.insertBefore(card.root, this.grid.children[at] || null);
    });
    for (const [name, card] of this.cards) {
      if (!seen.has(name)) {
        card.root.remove();
        this.cards.delete(name);
      }
    }
    const names = [...kin].join(" ");
    if (state.runs !== this.runs || names !== this.kin) {
      [this.runs, this.kin] = [state.runs, names];
      this.tables(state.runs, kin);
    }
  }

  tables(runs, kin) {
    const broken = runs.filter((run) => run.error).map((run) => el("p.result.error", {}, `${run.run} cannot be read: ${run.error}`));
    this.ended.replaceChildren(...broken, ...runs.filter((run) => run.rows.length).map((run) => this.table(run, kin)));
  }

  table(run, kin) {
    const scored = run.rows.filter((row) => row.fate === "scored");
    const solved = scored.filter((row) => row.solved).length;
    const rows = run.rows.map((row) => {
      const path = trialPath(run.run, row.trial);
      const score = row.fate === "scored" ? String(+row.score.toFixed(2)) : row.fate;
      return el("tr", {},
        el("td", {}, this.pair.box(path, row.trial)),
        el("td", {}, el("a", { href: `#/trial/${path}` }, row.task), kin.has(path) ? treeLink(path, row.trial) : null),
        el("td", {}, row.agent, row.number > 1 ? ` #${row.number}` : ""),
        el("td", {}, el(`span.score.${row.fate === "scored" ? (row.solved ? "good" : "poor") : "void"}`, {}, score), row.assisted ? el("span.chip", {}, "assisted") : null),
        el("td.number", {}, row.steps),
        el("td.number", {}, seconds(row.seconds)),
        el("td", {}, row.stop || ""),
        el("td.why", {}, row.reason));
    });
    return el("section", { "aria-label": `run ${run.run}` },
      el("h2", {}, run.run),
      el("p.quiet", {}, `${run.suite}, ${run.condition}, ${run.model || run.agents.join(", ")}: ${solved} of ${scored.length} solved${run.planned ? `, ${run.planned} planned` : ""} `, this.pair.button()),
      el("div.scroll", {}, el("table", {},
        el("thead", {}, el("tr", {}, ...["", "task", "agent", "score", "steps", "time", "ended by", "reason"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows))));
  }
}

function treeLink(path, trial) {
  return el("a.kin", { href: `#/tree/${path}`, "aria-label": `tree of ${trial}`, title: "The tree of episodes that branch from one another" }, "tree");
}

class Card {
  constructor(trial) {
    this.path = trialPath(trial.run, trial.trial);
    this.picture = el("img", { alt: "", width: 480, height: 270, decoding: "async" });
    this.told = el("p.told"); // instead of a picture, where there is no screen
    this.task = el("strong");
    this.state = el("span.chip");
    this.step = el("span");
    this.last = el("p.last");
    this.bar = el("progress");
    this.alarms = el("p.alarms");
    this.more = el("span.quiet");
    this.card = el("a.card", { href: `#/trial/${this.path}` },
      el("div.picture", {}, this.picture, this.told, this.state),
      el("div.words", {}, el("p", {}, this.task), this.bar, el("p", {}, this.step, " ", this.more), this.last, this.alarms));
    this.kin = treeLink(this.path, trial.trial);
    this.root = el("div.place", {}, this.card, this.kin);
    this.shown = -1;
  }

  update(trial, related) {
    this.kin.hidden = !related;
    this.task.textContent = trial.task;
    this.state.textContent = STATES[trial.state] || trial.state;
    this.state.dataset.state = trial.state;
    this.step.textContent = `step ${trial.step} of ${trial.cap}`;
    this.bar.max = trial.cap;
    this.bar.value = trial.step;
    this.bar.setAttribute("aria-label", `steps of ${trial.task}`);
    this.more.textContent = [trial.run, trial.agent, seconds(trial.seconds), dollars(trial.cost)].filter(Boolean).join(" · ");
    this.last.textContent = trial.last ? callText(trial.last) : "";
    this.alarms.replaceChildren(...trial.alarms.map((alarm) => el("span.chip.alarm", {}, alarm)));
    this.told.textContent = trial.told;
    this.card.classList.toggle("wanting", trial.alarms.length > 0);
    if (trial.picture && trial.picture !== this.shown) {
      this.shown = trial.picture;
      this.picture.src = `/live/${this.path}?n=${trial.picture}`;
      this.picture.alt = `the screen of ${trial.task}`;
    }
  }
}
