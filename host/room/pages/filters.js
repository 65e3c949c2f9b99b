// Search, filters and order of the trials on the wall. They are part of the page's address.
import { el } from "./dom.js";
import { outcome } from "./state.js";

export const OUTCOMES = ["running", "solved", "not solved", "void", "unjudged", "error"];
const by = (value) => (one, other) => value(one) - value(other);
const score = (row) => (row.fate === "scored" ? row.score : -1);
const ORDERS = {
  "": ["as they ended", null],
  task: ["task", (one, other) => one.task.localeCompare(other.task) || one.number - other.number],
  lowest: ["score, lowest first", by(score)],
  highest: ["score, highest first", by((row) => -score(row))],
  steps: ["steps, most first", by((row) => -row.steps)],
  time: ["time, longest first", by((row) => -(row.seconds || 0))],
  cost: ["cost, highest first", by((row) => -(row.cost || 0))],
  attempts: ["attempts, most first", by((row) => -row.attempts)],
};
const NAMES = ["search", "suite", "model", "condition", "outcome", "attention", "sort"];

let last = ""; // the wall's latest filters, for links back to it
export const wallAddress = () => `#/${last ? `?${last}` : ""}`;

export class Filters {
  // `changed` is called when a person changes a filter.
  constructor(query, changed) {
    this.values = Object.fromEntries(NAMES.map((name) => [name, new URLSearchParams(query).get(name) || ""]));
    this.changed = changed;
    this.options = {};
    const chooser = (name, first, options = []) => el("select", {
      "aria-label": first, onchange: (event) => this.set(name, event.target.value),
    }, ...this.entries(first, options));
    this.search = el("input.search", { type: "search", placeholder: "Search trials", "aria-label": "Search trials", value: this.values.search, oninput: () => this.set("search", this.search.value) });
    this.choosers = {
      suite: chooser("suite", "All suites"), model: chooser("model", "All models"), condition: chooser("condition", "All conditions"),
      outcome: chooser("outcome", "All outcomes", OUTCOMES),
    };
    this.sort = el("select", { "aria-label": "Sort by", onchange: () => this.set("sort", this.sort.value) },
      ...Object.entries(ORDERS).map(([value, [text]]) => el("option", { value }, `Sort: ${text}`)));
    this.attention = el("input", { type: "checkbox", onchange: () => this.set("attention", this.attention.checked ? "1" : "") });
    this.clear = el("button", { onclick: () => this.reset() }, "Clear filters");
    this.root = el("div.controls.filters", { role: "search", "aria-label": "Filter trials" },
      this.search, ...Object.values(this.choosers), el("label", {}, this.attention, "Needs attention"), this.sort, this.clear);
    this.show();
  }

  entries(first, options) {
    return [el("option", { value: "" }, first), ...options.map((value) => el("option", { value }, value))];
  }

  get active() {
    return NAMES.some((name) => name !== "sort" && this.values[name]);
  }

  set(name, value) {
    this.values[name] = value;
    this.show();
    const query = new URLSearchParams(Object.entries(this.values).filter(([, text]) => text)).toString();
    last = query;
    history.replaceState(null, "", wallAddress());
    this.changed();
  }

  reset() {
    for (const name of NAMES) if (name !== "sort") this.values[name] = "";
    this.search.value = "";
    this.set("search", "");
    this.search.focus();
  }

  show() {
    for (const [name, chooser] of Object.entries(this.choosers)) chooser.value = this.values[name];
    this.attention.checked = Boolean(this.values.attention);
    this.sort.value = this.values.sort;
    this.clear.hidden = !this.active;
    last = new URLSearchParams(Object.entries(this.values).filter(([, text]) => text)).toString();
  }

  // Offer the suites, models and conditions that occur.
  offer(runs) {
    const first = { suite: "All suites", model: "All models", condition: "All conditions" };
    for (const [name, all] of Object.entries(first)) {
      const found = [...new Set([...runs.map((run) => playerOr(run, name)), this.values[name]])].filter(Boolean).sort();
      if (found.join("\n") === this.options[name]) continue;
      this.options[name] = found.join("\n");
      this.choosers[name].replaceChildren(...this.entries(all, found));
    }
    this.show();
  }

  // Whether any trial of a run can match.
  run(run) {
    return ["suite", "model", "condition"].every((name) => !this.values[name] || playerOr(run, name) === this.values[name]);
  }

  // The rows of a run that match, in order.
  rows(run) {
    const { search, outcome: wanted, attention, sort } = this.values;
    const parts = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (!this.run(run)) return [];
    const found = run.rows.filter((row) => (!wanted || outcome(row) === wanted)
      && (!attention || row.fate === "void" || row.fate === "bug") && parts.every((part) => row.words.includes(part)));
    return ORDERS[sort]?.[1] ? found.sort(ORDERS[sort][1]) : found;
  }

  // Whether a running trial matches; `run` is its run.
  live(trial, run) {
    const { search, outcome: wanted, attention } = this.values;
    const text = [trial.run, trial.task, trial.trial, trial.agent, ...trial.alarms].join(" ").toLowerCase();
    return (!run || this.run(run)) && (!wanted || wanted === "running") && (!attention || trial.alarms.length > 0)
      && search.toLowerCase().split(/\s+/).every((part) => text.includes(part));
  }
}

// A run's suite, condition, or model; its agents where it has no model.
function playerOr(run, name) {
  return name === "model" ? run.model || (run.agents || []).join(", ") : run[name];
}
