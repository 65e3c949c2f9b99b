// Two episodes side by side, replayed in step.
import { el, fetched, tell, trialPath } from "./dom.js";
import { divergingStep } from "./relations.js";
import { Episode } from "./episode.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

export class Compare {
  constructor(place, pairs) {
    this.pairs = pairs;
    this.note = el("p.quiet", { hidden: true });
    this.sides = pairs.map(([run, trial]) => new Side(run, trial));
    const lines = () => this.longer.episode.lines;
    const look = (index, after) => this.sides.forEach((side) => side.look(index - this.longer.lead + side.lead, after));
    this.timeline = new Timeline({ get lines() { return lines(); } }, look, (on) => this.sides.forEach((side) => { side.stage.differ = on; }));
    this.sides.forEach((side) => { side.steps.chosen = (index) => this.timeline.go(index - side.lead + this.longer.lead); });
    place.append(el("h1", {}, "Side by side"), this.note, el("div.sides", {}, this.sides.map((side) => side.root)), this.timeline.root);
    this.keys = (event) => {
      if (!event.target.closest("select") && !event.ctrlKey && !event.altKey && !event.metaKey) this.timeline.key(event);
    };
    addEventListener("keydown", this.keys);
    this.load().catch((error) => tell(error.message));
  }

  get longer() {
    return this.sides.reduce((most, side) => (side.episode.lines.length > most.episode.lines.length ? side : most));
  }

  // Episodes of one tree are aligned at the step where they diverge.
  async load() {
    await Promise.all(this.sides.map((side) => side.load()));
    const step = await this.divergence();
    this.sides.forEach((side) => side.alignAt(step));
    this.timeline.grew();
    this.timeline.go(this.longer.lead);
    this.note.hidden = step < 2;
    this.note.textContent = `Identical up to step ${step - 1}; different from step ${step} on.`;
  }

  // The first step that the episodes do not share; 0 if they are not in one tree.
  async divergence() {
    const { lanes } = await fetched(`/api/trees/${trialPath(...this.pairs[0])}`);
    const [one, other] = this.pairs.map(([run, trial]) => lanes.findIndex((lane) => lane.run === run && lane.trial === trial));
    return one < 0 || other < 0 ? 0 : divergingStep(lanes, one, other);
  }

  close() {
    removeEventListener("keydown", this.keys);
    this.timeline.close();
    this.sides.forEach((side) => side.steps.close());
  }
}

class Side {
  constructor(run, trial) {
    this.episode = new Episode(run, trial);
    this.lead = 0; // number of lines before the aligned one
    this.instruction = el("p.instruction");
    this.root = el("section.side", { "aria-label": `${run} ${trial}` }, el("h2", {}, `${run} / ${trial}`), this.instruction);
    this.stage = new Stage(this.root);
    this.steps = new Steps(this.root, this.episode, () => {});
  }

  async load() {
    await this.episode.more();
    this.instruction.textContent = this.episode.start.instruction || "";
    this.steps.grew();
  }

  alignAt(step) {
    const at = this.episode.lines.findIndex((line) => line.kind === "step" && line.number === step);
    this.lead = !step ? 0 : at < 0 ? this.episode.lines.length : at;
  }

  look(index, after) {
    const last = this.episode.lines.length - 1;
    const at = Math.min(Math.max(index, 0), last);
    this.steps.choose(at);
    this.stage.show(this.episode, at, after || index > last);
  }
}
