// Two episodes side by side, moved together.
import { el, tell } from "./dom.js";
import { Reel } from "./reel.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

export class Compare {
  constructor(place, pairs) {
    this.sides = pairs.map(([run, trial]) => new Side(run, trial));
    const longer = { get lines() { return this.sides.reduce((most, side) => (side.reel.lines.length > most.length ? side.reel.lines : most), []); }, sides: this.sides };
    this.timeline = new Timeline(longer, (index, after) => this.sides.forEach((side) => side.look(index, after)), (on) => this.sides.forEach((side) => { side.stage.differ = on; }));
    this.sides.forEach((side) => { side.steps.chosen = (index) => this.timeline.go(index); });
    place.append(el("h1", {}, "Side by side"), el("div.sides", {}, this.sides.map((side) => side.root)), this.timeline.root);
    this.keys = (event) => {
      if (!event.target.closest("select") && !event.ctrlKey && !event.altKey && !event.metaKey) this.timeline.key(event);
    };
    addEventListener("keydown", this.keys);
    Promise.all(this.sides.map((side) => side.load())).then(() => {
      this.timeline.grew();
      this.timeline.go(0);
    }).catch((error) => tell(error.message));
  }

  close() {
    removeEventListener("keydown", this.keys);
    this.timeline.close();
    this.sides.forEach((side) => side.steps.close());
  }
}

class Side {
  constructor(run, trial) {
    this.reel = new Reel(run, trial);
    this.instruction = el("p.instruction");
    this.root = el("section.side", { "aria-label": `${run} ${trial}` }, el("h2", {}, `${run} / ${trial}`), this.instruction);
    this.stage = new Stage(this.root);
    this.steps = new Steps(this.root, this.reel, () => {});
  }

  async load() {
    await this.reel.more();
    this.instruction.textContent = this.reel.start.instruction || "";
    this.steps.grew();
  }

  look(index, after) {
    const last = this.reel.lines.length - 1;
    this.steps.choose(Math.min(index, last));
    this.stage.show(this.reel, Math.min(index, last), after || index > last);
  }
}
