// Drawing of a tree of trials: a lane per trial, with a mark per step; a branch leaves its parent's
// lane at the branch point.
import { el, fetched, shape, tell, trialPath } from "./dom.js";
import { Pair } from "./pair.js";

const WIDE = { row: 60, lane: 30, names: 430 };
const NARROW = { row: 92, lane: 70, names: 0 };
const [TOP, PAD, LEAST, MOST] = [30, 12, 10, 72]; // pixels: axis, margin, least and largest width of a step
const [APART, SPREAD] = [9, 0.8]; // branches of one branch point: pixels between two, total as share of a step
const DONE = { gui: "mouse and keyboard", tool: "tool", human: "a person", error: "error", none: "no call" };
const LANES = { good: "solved", poor: "not solved", busy: "running", void: "no score" };

export class Tree {
  constructor(place, run, trial) {
    this.path = trialPath(run, trial);
    this.pair = new Pair();
    this.summary = el("p.quiet");
    this.list = el("ol.members", { "aria-label": "Episodes" });
    this.drawing = shape("svg", { "aria-hidden": "true" });
    this.scroll = el("div.lanes", {}, this.drawing);
    this.root = el("div.tree", {}, this.scroll, this.list);
    place.append(el("h1", {}, "Tree of episodes"), this.summary, el("div.controls", {}, this.pair.button()), this.root, legend());
    this.lanes = [];
    this.serialised = "";
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.root);
    this.load();
  }

  close() {
    this.resized.disconnect();
  }

  update() {
    this.load();
  }

  // One request at a time; a call during a request triggers another one after it.
  async load() {
    this.wanted = true;
    if (this.loading) return;
    this.loading = true;
    try {
      while (this.wanted) {
        this.wanted = false;
        const { lanes } = await fetched(`/api/trees/${this.path}`);
        const serialised = JSON.stringify(lanes);
        if (serialised === this.serialised) continue;
        [this.serialised, this.lanes] = [serialised, lanes];
        this.name();
        this.draw();
      }
    } catch (error) {
      tell(error.message);
    } finally {
      this.loading = false;
    }
  }

  // Fill the list that describes the lanes in words.
  name() {
    const at = document.activeElement?.closest("[data-lane]");
    const [lane, kind] = [at?.dataset.lane, document.activeElement?.tagName];
    this.list.replaceChildren(...this.lanes.map((item, index) => this.member(item, index)));
    if (at) this.list.querySelector(`[data-lane="${lane}"] ${kind}`)?.focus();
    const solved = this.lanes.filter((item) => item.solved).length;
    this.summary.textContent = `${this.lanes.length === 1 ? "1 episode" : `${this.lanes.length} episodes`}, ${solved} of them solved`;
  }

  member(lane, index) {
    const path = trialPath(lane.run, lane.trial);
    const place = `${lane.run} / ${lane.trial}`;
    const player = playerOf(lane);
    const label = [player, handOf(lane), place].filter(Boolean).join(", ");
    const title = lane.here
      ? el("a", { href: `#/trial/${path}`, "aria-label": label, title: label, "aria-current": path === this.path ? "true" : null }, player)
      : el("span", {}, "not shown in this room");
    const count = `${lane.did.length} step${lane.did.length === 1 ? "" : "s"}`;
    const from = lane.on === null ? "" : `from step ${lane.step}`;
    const score = lane.state === "scored" ? String(+lane.score.toFixed(2)) : LANES[kindOf(lane)];
    const facts = [from, handOf(lane), count, lane.fork?.hint ? `hint: ${lane.fork.hint}` : "", place].filter(Boolean).join(" · ");
    return el("li", { "data-lane": String(index), onmouseenter: () => this.point(index, true), onmouseleave: () => this.point(index, false), onfocusin: () => this.point(index, true), onfocusout: () => this.point(index, false) },
      el("p.who", {}, lane.here ? this.pair.box(path, place) : null, title, lane.here ? el(`span.score.${kindOf(lane)}`, {}, score) : null),
      el("p.quiet", { title: facts }, facts));
  }

  point(index, on) {
    this.drawing.querySelector(`[data-lane="${index}"]`)?.classList.toggle("pointed", on);
  }

  draw() {
    const width = this.root.clientWidth;
    if (!this.lanes.length || !width) return;
    const size = width < 760 ? NARROW : WIDE;
    this.root.classList.toggle("narrow", size === NARROW);
    const steps = Math.max(1, ...this.lanes.map((lane) => Math.max(lane.did.length, lane.step)));
    const beside = siblings(this.lanes);
    const lead = this.lanes.some((lane, index) => lane.step === 1 && beside[index].rank) ? SPREAD : 0;
    const step = Math.min(MOST, Math.max(LEAST, (width - size.names - 2 * PAD - 4) / (steps + lead)));
    const before = (number) => PAD + (lead + number - 1) * step;
    const at = (index) => TOP + index * size.row + size.lane;
    const height = TOP + this.lanes.length * size.row;
    this.drawing.setAttribute("width", 2 * PAD + (lead + steps) * step);
    this.drawing.setAttribute("height", height);
    this.drawing.replaceChildren(axis(steps, step, before, height), ...this.lanes.map((lane, index) => this.lane(lane, index, before, at, step, beside[index])));
    [...this.list.children].forEach((item, index) => { item.style.top = `${TOP + index * size.row}px`; });
    this.root.style.height = `${height + 14}px`; // leaves space for the scroll bar
  }

  // Branches of one branch point fan out below it, the nearest lane rightmost, so that no lines overlap or cross.
  lane(lane, index, before, at, step, { rank, of }) {
    const [x, y] = [before(lane.step), at(index)];
    const end = before(Math.max(lane.did.length, lane.step) + 1);
    const turn = Math.min(10, step / 2);
    const apart = Math.min(APART, (SPREAD * step) / Math.max(1, of - 1));
    const left = -rank * apart;
    const wide = of > 1 ? Math.min(4, Math.max(1, apart - 2)) : 4;
    const d = lane.on === null ? `M${x} ${y}H${end}` : `M${x} ${at(lane.on)}c0 14 ${left} 8 ${left} 26V${y - turn}q0 ${turn} ${turn} ${turn}H${end}`;
    const marks = lane.did.slice(lane.step - 1).map((done, number) => mark(done, x + (number + 0.5) * step, y, Math.min(1, step / 18)));
    const parts = [way(d, wide), ...marks];
    if (lane.on !== null) parts.push(shape("circle", { cx: x, cy: at(lane.on), r: 3.5, class: "fork" }));
    const group = { class: `lane ${lane.here ? kindOf(lane) : "void"}`, "data-lane": String(index) };
    if (!lane.here) return shape("g", group, ...parts);
    // The list has the same links for keyboards and screen readers.
    const link = shape("a", { ...group, href: `#/trial/${trialPath(lane.run, lane.trial)}`, tabindex: "-1" }, shape("title", {}), shape("path", { d, class: "reach", "stroke-width": of > 1 ? apart : 24 }), ...parts);
    link.querySelector("title").textContent = [playerOf(lane), handOf(lane)].filter(Boolean).join(", ");
    return link;
  }
}

// The model's name without the vendor prefix, and the condition.
function playerOf(lane) {
  return [(lane.model || lane.agent || "").split("/").at(-1), lane.condition].filter(Boolean).join(", ");
}

function handOf(lane) {
  return lane.fork?.hand ? `${lane.fork.hand} forced${lane.fork.lasting === "rest" ? "" : " once"}` : "";
}

function kindOf(lane) {
  if (lane.state === "scored") return lane.solved ? "good" : "poor";
  return ["void", "bug", "unjudged"].includes(lane.state) || !lane.state ? "void" : "busy";
}

function way(d, width) {
  return shape("path", { d, "stroke-width": width, class: "way" });
}

// For each lane: its rank among the lanes of the same branch point, and their number.
function siblings(lanes) {
  const count = new Map();
  const key = (lane) => `${lane.on} ${lane.step}`;
  const ranks = lanes.map((lane) => {
    const rank = count.get(key(lane)) || 0;
    count.set(key(lane), rank + 1);
    return rank;
  });
  return lanes.map((lane, index) => ({ rank: ranks[index], of: count.get(key(lane)) }));
}

// The mark of a step; its kind is shown by shape, not colour.
function mark(done, x, y, scale) {
  const r = 4.5 * scale;
  const more = { "stroke-width": 2 * scale, class: `mark ${done}` };
  if (done === "gui") return shape("circle", { cx: x, cy: y, r, ...more });
  if (done === "tool") return shape("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, ...more });
  if (done === "human") return shape("path", { d: `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`, ...more });
  if (done === "error") return shape("path", { d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m${-2 * r} 0l${2 * r} ${-2 * r}`, ...more });
  return shape("path", { d: `M${x} ${y - r}v${2 * r}`, ...more });
}

function axis(steps, step, before, height) {
  const apart = [1, 2, 5, 10, 20, 50, 100, 200].find((interval) => interval * step >= 26) || 500;
  const numbers = Array.from({ length: steps }, (_, index) => index + 1).filter((number) => number === 1 || number % apart === 0);
  return shape("g", { class: "axis" }, ...numbers.flatMap((number) => {
    const x = before(number) + step / 2;
    const text = shape("text", { x, y: 14 });
    text.textContent = String(number);
    return [text, shape("path", { d: `M${x} 22V${height}` })];
  }));
}

function legend() {
  const marks = Object.entries(DONE).map(([done, words]) => el("span", {}, shape("svg", { width: 14, height: 14, "aria-hidden": "true" }, mark(done, 7, 7, 1)), words));
  const lanes = Object.entries(LANES).map(([kind, words]) => el("span", {}, shape("svg", { width: 22, height: 14, "aria-hidden": "true" }, shape("g", { class: `lane ${kind}` }, way("M1 7H21", 4))), words));
  return el("p.legend.quiet", {}, ...marks, ...lanes);
}
