// A slider over the moments of an episode, with playback. A step has two moments: before it, with
// its calls drawn on the screen, and after it.
import { el } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const TICKS = { person: "human", colleague: "none" };
const OTHERS = { person: "order by a person", colleague: "answer of a colleague" };

export class Timeline {
  // `copy`, if given, copies a link to the moment that is shown.
  constructor(episode, look, differ, copy = null) {
    this.episode = episode;
    this.look = look;
    this.at = 0;
    this.timer = 0;
    this.steps = 0;
    this.chosen = false; // no moment chosen: the slider stays at the end as the episode grows
    this.bar = el("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": "Moment of the episode", oninput: () => this.to(Number(this.bar.value)) });
    this.playing = el("button", { onclick: () => this.toggle() }, "Play");
    this.speed = el("select", { "aria-label": "Speed" }, ...SPEEDS.map((speed) => el("option", { value: String(speed), selected: speed === 1 }, `${speed}×`)));
    this.where = el("span.quiet", { role: "status" });
    this.ticks = el("div.ticks", { "aria-hidden": "true" });
    const changes = el("input", { type: "checkbox", onchange: (event) => { differ(event.target.checked); this.to(this.at); } });
    this.changes = el("label", {}, changes, "changes only");
    this.root = el("div.timeline", { hidden: true },
      el("div.track", {}, this.ticks, this.bar),
      el("div.controls", {}, el("button", { onclick: () => this.to(this.at - 1), "aria-label": "Back" }, "‹"), this.playing,
        el("button", { onclick: () => this.to(this.at + 1), "aria-label": "Forward" }, "›"), this.speed,
        this.changes, copy ? el("button", { onclick: copy, title: "Copy a link to this step (c)" }, "Copy link") : null, this.where));
  }

  close() {
    this.stop();
  }

  get last() {
    return Math.max(0, 2 * this.episode.lines.length - 1);
  }

  grew() {
    this.root.hidden = !this.episode.lines.length;
    this.changes.hidden = !this.episode.lines.some((line) => line.before);
    this.steps = this.episode.lines.filter((line) => line.kind === "step").length;
    this.bar.max = String(this.last);
    if (!this.chosen) this.at = this.last;
    this.bar.value = String(this.at);
    this.ticks.replaceChildren(...this.episode.lines.map((line) => el(`i.${TICKS[line.kind] || line.did}`)));
  }

  // Go to the moment before the line of this index.
  go(index) {
    this.to(2 * index);
  }

  to(moment) {
    if (!this.episode.lines.length) return;
    this.chosen = true;
    this.at = Math.min(Math.max(moment, 0), this.last);
    this.bar.value = String(this.at);
    const index = Math.floor(this.at / 2);
    const line = this.episode.lines[index];
    const when = this.at % 2 ? "after" : "before";
    this.where.textContent = line.kind === "step" ? `${when} step ${line.number} of ${this.steps}` : OTHERS[line.kind];
    this.bar.setAttribute("aria-valuetext", this.where.textContent);
    this.look(index, this.at % 2 === 1);
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.at >= this.last) this.to(0);
    this.playing.textContent = "Stop";
    this.next();
  }

  next() {
    this.timer = setTimeout(() => {
      if (this.at >= this.last) {
        this.stop();
        return;
      }
      this.to(this.at + 1);
      this.next();
    }, 900 / Number(this.speed.value));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.playing.textContent = "Play";
  }

  key(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2, PageUp: -20, PageDown: 20 };
    if (event.key in moves && event.target !== this.bar) this.to(this.at + moves[event.key]);
    else if (event.key === "Home") this.to(0);
    else if (event.key === "End") this.to(this.last);
    else if (event.key === " " && !event.target.closest("button, [type=checkbox]")) this.toggle();
    else return;
    event.preventDefault();
  }
}
