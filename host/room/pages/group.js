// A run on the wall: a group that opens and closes, with its progress and result in one line.
import { dollars, el, seconds } from "./dom.js";
import { Rows } from "./rows.js";

const percent = (share) => (100 * share).toFixed(1);

export class Group {
  // `actions` has stop(run), resume(run) and compare(run).
  constructor(name, pair, actions) {
    this.name = name;
    this.rows = new Rows(pair);
    this.title = el("strong");
    this.state = el("span.chip");
    this.wants = el("a.chip.alarm", { hidden: true });
    this.bar = el("progress");
    this.result = el("span.headline");
    this.facts = el("span.quiet");
    this.about = el("span.quiet");
    this.problem = el("p.result.error");
    this.stop = el("button", { onclick: () => actions.stop(this.run) }, "Stop …");
    this.resume = el("button", { onclick: () => actions.resume(this.run) }, "Resume …");
    this.compare = el("button", { onclick: () => actions.compare(this.run) }, "Compare …");
    this.summary = el("summary", { onclick: (event) => this.clicked(event) }, this.title, this.state, this.wants, this.result, this.bar, this.facts);
    this.details = el("details", { ontoggle: () => this.toggled() }, this.summary,
      el("div.controls", {}, this.about, this.stop, this.resume, this.compare, pair.button()), this.problem, this.rows.root);
    this.root = el("section.group", { "aria-label": `run ${name}` }, this.details);
    this.chosen = sessionStorage.getItem(`open ${name}`);
  }

  close() {
    this.rows.close();
  }

  // A click counts at once: the event `toggle` comes later, and `show` between them would undo it.
  clicked(event) {
    if (!event.target.closest("a")) this.choose(!this.details.open);
  }

  toggled() {
    if (this.details.open === this.automatic) return;
    this.automatic = this.details.open;
    this.choose(this.details.open);
    this.rows.draw();
  }

  choose(open) {
    this.chosen = open ? "yes" : "no";
    sessionStorage.setItem(`open ${this.name}`, this.chosen);
  }

  // Show a run and those of its rows that pass the filter. `open`: whether it is open unless a person
  // has decided that; `wanting`: its running trials that need attention.
  show(run, rows, { inTrees, open, filtered, wanting }) {
    this.run = run;
    const complete = run.planned > 0 && run.done >= run.planned;
    const state = run.active ? "running" : complete ? "complete" : "incomplete";
    this.title.textContent = run.run;
    this.state.textContent = state;
    this.state.dataset.state = state;
    this.wants.hidden = !wanting;
    this.wants.textContent = wanting === 1 ? "1 needs attention" : `${wanting} need attention`;
    this.wants.href = "#/?attention=1";
    this.bar.max = run.planned || 1;
    this.bar.value = run.done;
    this.bar.setAttribute("aria-label", `progress of ${run.run}`);
    const spread = run.interval ? `, 95 % interval ${run.interval.map(percent).join("–")} %` : "";
    this.result.textContent = run.scored ? `${percent(run.solved / run.scored)} % solved` : "";
    this.result.title = run.scored ? `${run.solved} of ${run.scored} trials${spread}` : "";
    const cost = run.cost === undefined ? "" : [dollars(run.cost), run.unpriced ? `cost of ${run.unpriced} unknown` : ""].filter(Boolean).join(", ");
    this.facts.textContent = [
      `${run.done} of ${run.planned} trials`, run.eta ? `about ${seconds(run.eta)} left` : "", cost,
    ].filter(Boolean).join(" · ");
    this.about.textContent = [
      run.suite, run.condition, run.model || (run.agents || []).join(", "),
      run.scored ? `${run.solved} of ${run.scored} solved${spread}` : "",
      run.void ? `${run.void} void` : "", run.assisted ? `${run.assisted} assisted, left out` : "",
      filtered ? `${rows.length} shown` : "",
    ].filter(Boolean).join(" · ");
    this.problem.textContent = run.error ? `${run.run} cannot be read: ${run.error}` : "";
    this.problem.hidden = !run.error;
    this.stop.hidden = !run.active;
    this.resume.hidden = run.active || complete || Boolean(run.error);
    this.compare.hidden = !run.scored;
    this.rows.root.hidden = !rows.length;
    const shown = filtered || (this.chosen ? this.chosen === "yes" : open || Boolean(run.error));
    this.automatic = shown;
    this.details.open = shown;
    this.rows.show(run, rows, inTrees);
  }
}
