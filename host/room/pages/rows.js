// The trials of a run as lines of one height. Only those near the visible part of the page are in the
// document, so that ten thousand cost no more than a screenful.
import { dollars, el, seconds, trialPath } from "./dom.js";
import { outcome } from "./state.js";

const MARGIN = 8; // lines drawn above and below the visible ones
const narrow = matchMedia("(max-width: 900px)");
const COLUMNS = ["", "task", "agent", "score", "steps", "time", "cost", "ended by", "reason"];

export class Rows {
  constructor(pair) {
    this.pair = pair;
    this.rows = [];
    this.drawn = new Map();
    this.body = el("div.body", { role: "rowgroup" });
    this.root = el("div.rows", { role: "table", "aria-label": "Trials" },
      el("div.head", { role: "row" }, ...COLUMNS.map((name) => el("span", { role: "columnheader" }, name))), this.body);
    this.again = () => this.draw();
    addEventListener("scroll", this.again, { passive: true });
    addEventListener("resize", this.again);
  }

  close() {
    removeEventListener("scroll", this.again);
    removeEventListener("resize", this.again);
  }

  // Show these rows of a run; `inTrees` are the paths of trials in a tree.
  show(run, rows, inTrees) {
    [this.run, this.rows, this.inTrees] = [run, rows, inTrees];
    for (const item of this.drawn.values()) item.element.remove();
    this.drawn.clear();
    this.root.setAttribute("aria-rowcount", String(rows.length + 1));
    this.draw();
  }

  draw() {
    const height = narrow.matches ? 58 : 34;
    this.body.style.height = `${this.rows.length * height}px`;
    if (!this.body.isConnected || !this.rows.length) return;
    const { top, bottom } = this.body.getBoundingClientRect();
    const [from, to] = bottom < -400 || top > innerHeight + 400 ? [0, -1]
      : [Math.max(0, Math.floor(-top / height) - MARGIN), Math.min(this.rows.length - 1, Math.ceil((innerHeight - top) / height) + MARGIN)];
    for (const [at, item] of this.drawn) {
      const focused = item.element.contains(document.activeElement);
      if ((at < from || at > to || item.height !== height) && !focused) {
        item.element.remove();
        this.drawn.delete(at);
      }
    }
    for (let at = from; at <= to; at += 1) {
      if (this.drawn.has(at)) continue;
      const element = this.line(this.rows[at], at);
      element.style.transform = `translateY(${at * height}px)`;
      this.drawn.set(at, { element, height });
      // In the order of the rows, which is that of the Tab key.
      const next = [...this.drawn.keys()].filter((other) => other > at).sort((a, b) => a - b)[0];
      this.body.insertBefore(element, next === undefined ? null : this.drawn.get(next).element);
    }
  }

  line(row, at) {
    const path = trialPath(this.run.run, row.trial);
    const ended = outcome(row);
    const score = row.fate === "scored" ? String(+row.score.toFixed(2)) : ended;
    const cell = (name, ...content) => el(`span.${name}`, { role: "cell" }, ...content);
    return el("div.line", { role: "row", "aria-rowindex": String(at + 2) },
      cell("pick", this.pair.box(path, row.trial)),
      cell("task", el("a", { href: `#/trial/${path}`, title: row.task }, row.task), this.inTrees.has(path) ? treeLink(path, row.trial) : null),
      cell("agent", row.agent, row.number > 1 ? ` #${row.number}` : ""),
      cell("result", el(`span.score.${row.fate === "scored" ? (row.solved ? "good" : "poor") : "void"}`, {}, score),
        row.attempts > 1 ? el("span.chip", { title: "Attempts; the void ones were repeated" }, `${row.attempts} attempts`) : null,
        row.assisted ? el("span.chip", {}, "assisted") : null),
      cell("number", el("span.unit", {}, "steps "), String(row.steps)),
      cell("number", seconds(row.seconds)),
      cell("number.cost", row.cost === null ? "" : dollars(row.cost)),
      cell("stop", (row.stop || "").replaceAll("_", " ")),
      el("span.why", { role: "cell", title: row.reason }, row.reason));
  }
}

export function treeLink(path, trial) {
  return el("a.link", { href: `#/tree/${path}`, "aria-label": `tree of ${trial}`, title: "The tree of episodes that branch from one another" }, "tree");
}
