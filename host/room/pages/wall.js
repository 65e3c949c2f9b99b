// All desktops at once, those first that want a person; and the trials that have ended.
import { callText, dollars, el, seconds, trialPath } from "./dom.js";
import { related } from "./kin.js";
import { Pair } from "./pair.js";

const STATES = { setup: "being set up", running: "running", paused: "held", human: "a person acts", ended: "ended" };

export class Wall {
  constructor(place) {
    this.cards = new Map();
    this.pair = new Pair();
    this.summary = el("p.quiet");
    this.grid = el("div.wall");
    this.ended = el("div");
    place.append(el("h1", {}, "Trials"), this.summary, this.grid, this.ended);
    this.said = null;
  }

  update(state) {
    const wanting = state.live.filter((each) => each.alarms.length).length;
    const done = state.runs.reduce((sum, run) => sum + run.rows.filter((row) => row.fate === "scored").length, 0);
    const planned = state.runs.reduce((sum, run) => sum + Math.max(run.planned, run.rows.length), 0);
    this.summary.textContent = `${state.live.length} under way, ${wanting} of them could use a look, ${done} of ${planned} scored`;
    const seen = new Set();
    const kin = related(state);
    state.live.forEach((each, at) => {
      const name = `${each.run}/${each.trial}`;
      seen.add(name);
      if (!this.cards.has(name)) this.cards.set(name, new Card(each));
      const card = this.cards.get(name);
      card.update(each, kin.has(card.path));
      if (this.grid.children[at] !== card.root) this.grid.insertBefore(card.root, this.grid.children[at] || null);
    });
    for (const [name, card] of this.cards) {
      if (!seen.has(name)) {
        card.root.remove();
        this.cards.delete(name);
      }
    }
    const names = [...kin].join(" ");
    if (state.runs !== this.said || names !== this.kin) {
      [this.said, this.kin] = [state.runs, names];
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
        el("thead", {}, el("tr", {}, ...["", "task", "agent", "score", "steps", "time", "ended by", "why"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows))));
  }
}

function treeLink(path, trial) {
  return el("a.kin", { href: `#/tree/${path}`, "aria-label": `tree of ${trial}`, title: "The episodes that went on from one another's steps" }, "tree");
}

class Card {
  constructor(each) {
    this.path = trialPath(each.run, each.trial);
    this.picture = el("img", { alt: "", width: 480, height: 270, decoding: "async" });
    this.task = el("strong");
    this.state = el("span.chip");
    this.step = el("span");
    this.last = el("p.last");
    this.bar = el("progress");
    this.alarms = el("p.alarms");
    this.more = el("span.quiet");
    this.card = el("a.card", { href: `#/trial/${this.path}` },
      el("div.picture", {}, this.picture, this.state),
      el("div.words", {}, el("p", {}, this.task), this.bar, el("p", {}, this.step, " ", this.more), this.last, this.alarms));
    this.kin = treeLink(this.path, each.trial);
    this.root = el("div.place", {}, this.card, this.kin);
    this.shown = -1;
  }

  update(each, related) {
    this.kin.hidden = !related;
    this.task.textContent = each.task;
    this.state.textContent = STATES[each.state] || each.state;
    this.state.dataset.state = each.state;
    this.step.textContent = `step ${each.step} of ${each.cap}`;
    this.bar.max = each.cap;
    this.bar.value = each.step;
    this.bar.setAttribute("aria-label", `steps of ${each.task}`);
    this.more.textContent = [each.run, each.agent, seconds(each.seconds), dollars(each.cost)].filter(Boolean).join(" · ");
    this.last.textContent = each.last ? callText(each.last) : "";
    this.alarms.replaceChildren(...each.alarms.map((alarm) => el("span.chip.alarm", {}, alarm)));
    this.card.classList.toggle("wanting", each.alarms.length > 0);
    if (each.picture && each.picture !== this.shown) {
      this.shown = each.picture;
      this.picture.src = `/live/${this.path}?n=${each.picture}`;
      this.picture.alt = `the screen of ${each.task}`;
    }
  }
}
