// The list of what happened. Only what is in sight is in the page, so that a thousand steps open as
// fast as ten.
import { callText, dollars, el, isGui, seconds } from "./dom.js";

const GUESS = 84; // pixels of a step that was not drawn yet
const ORDERS = {
  pause: "held", resume: "let go on", step: "let take one step", hint: "told the model", stop: "ended the trial",
  take: "took over", give: "handed back",
};

export class Steps {
  // `fork`, where it is given, is asked for a branch from a line.
  constructor(place, reel, chosen, fork = null) {
    this.reel = reel;
    this.chosen = chosen;
    this.fork = fork;
    this.current = -1;
    this.heights = [];
    this.drawn = new Map();
    this.space = el("div.space", { role: "list", "aria-label": "steps" });
    this.root = el("div.steps", { tabindex: "0", "aria-label": "What happened, step by step" }, this.space);
    this.root.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.root);
    place.append(this.root);
  }

  close() {
    this.resized.disconnect();
  }

  // Another attempt: what was drawn is of the one before.
  clear() {
    this.wipe();
    this.heights = [];
    this.current = -1;
  }

  // What was drawn is not what it was, as where a kept machine has been given back.
  again() {
    this.wipe();
    this.draw();
  }

  wipe() {
    for (const item of this.drawn.values()) item.remove();
    this.drawn.clear();
  }

  // New lines have come; stay at the end if that is where we were.
  grew() {
    const atEnd = this.root.scrollTop + this.root.clientHeight >= this.root.scrollHeight - 40;
    this.draw();
    if (atEnd) {
      this.root.scrollTop = this.root.scrollHeight;
      this.draw();
    }
  }

  choose(index) {
    this.drawn.get(this.current)?.classList.remove("current");
    this.drawn.get(this.current)?.removeAttribute("aria-current");
    this.current = index;
    const top = this.top(index);
    const height = this.heights[index] || GUESS;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + height > this.root.scrollTop + this.root.clientHeight) this.root.scrollTop = top + height - this.root.clientHeight;
    this.draw();
    this.drawn.get(index)?.classList.add("current");
    this.drawn.get(index)?.setAttribute("aria-current", "true");
  }

  top(index) {
    let top = 0;
    for (let at = 0; at < index; at += 1) top += this.heights[at] || GUESS;
    return top;
  }

  draw() {
    const from = this.root.scrollTop - 400;
    const to = this.root.scrollTop + this.root.clientHeight + 400;
    const wanted = new Set();
    let top = 0;
    this.reel.lines.forEach((line, index) => {
      const height = this.heights[index] || GUESS;
      if (top + height >= from && top <= to) wanted.add(index);
      top += height;
    });
    for (const [index, item] of this.drawn) {
      if (!wanted.has(index)) {
        item.remove();
        this.drawn.delete(index);
      }
    }
    for (const index of [...wanted].sort((a, b) => a - b)) {
      if (this.drawn.has(index)) continue;
      const item = this.item(index);
      this.drawn.set(index, item);
      this.space.append(item);
    }
    let moved = false;
    for (const index of wanted) {
      const height = this.drawn.get(index).offsetHeight;
      if (height && height !== this.heights[index]) {
        this.heights[index] = height;
        moved = true;
      }
    }
    for (const index of wanted) this.drawn.get(index).style.top = `${this.top(index)}px`;
    if (moved || this.space.dataset.count !== String(this.reel.lines.length)) {
      this.space.dataset.count = String(this.reel.lines.length);
      this.space.style.height = `${this.top(this.reel.lines.length)}px`;
    }
  }

  item(index) {
    const line = this.reel.lines[index];
    const item = line.kind === "person" ? this.person(line) : this.step(line, index);
    item.setAttribute("role", "listitem");
    item.setAttribute("aria-posinset", String(index + 1));
    item.setAttribute("aria-setsize", String(this.reel.lines.length));
    if (index === this.current) {
      item.classList.add("current");
      item.setAttribute("aria-current", "true");
    }
    return item;
  }

  person(line) {
    const said = line.text ? `: ${line.text}` : "";
    return el("div.step.person", {}, el("p", {}, `A person ${ORDERS[line.order] || line.order}${line.end ? ` as ${line.end}` : ""}${said}`));
  }

  // Whether the machine is kept as it was before that step, and the way on from there.
  keptAs(line) {
    if (!line.kept) return null;
    const there = !this.reel.kept || this.reel.kept.has(line.number);
    if (!there) return el("span.quiet", { title: "The machine was kept before this step, and is not any more" }, "snapshot given back");
    if (!this.fork) return el("span.chip.kept", { title: "The machine is kept as it was before this step" }, "snapshot");
    return el("button.kept", {
      "aria-label": `Fork before step ${line.number}`, title: "The machine is kept as it was before this step: go on from there",
      onclick: (event) => { event.stopPropagation(); this.fork(line); },
    }, "Fork here …");
  }

  step(line, index) {
    const calls = line.calls.map((call, at) => {
      const result = line.results[at];
      return el("div", {},
        el(`code.${isGui(call) ? "gui" : "tool"}`, {}, callText(call)),
        result && (result.error || !isGui(call) || line.actor === "human") ? el(`p.result${result.error ? ".error" : ""}`, {}, result.error ? `${result.error}: ${result.text}` : result.text) : null);
    });
    const hash = line.after || line.before;
    return el(`div.step.${line.actor}`, { onclick: () => this.chosen(index) },
      el("button.thumbnail", { "aria-label": `Show the screen after step ${line.number}`, onclick: (event) => { event.stopPropagation(); this.chosen(index); } },
        hash ? el("img", { src: this.reel.frame(hash, 240), alt: "", width: 120, height: 68, loading: "lazy", decoding: "async" }) : null),
      el("div", {},
        el("p.head", {}, el("span.at", {}, String(line.number)), line.actor === "human" ? el("span.chip", { "data-state": "human" }, "person") : null,
          el("span.quiet", {}, times(line)), line.still ? null : el("span.chip.alarm", {}, "still moving"), this.keptAs(line)),
        line.thought ? el("p.thought", {}, line.thought) : null,
        line.malformed ? el("p.result.error", {}, `could not be read: ${line.malformed}`) : null,
        ...calls,
        line.stop ? el("p.stop", {}, `ends: ${line.stop}${line.answer ? `, answer ${line.answer}` : ""}`) : null));
  }
}

function times(line) {
  const parts = Object.entries(line.seconds).filter(([, value]) => value >= 0.05).map(([name, value]) => `${name} ${seconds(value)}`);
  return [...parts, line.tokens ? `${line.tokens} tokens` : "", dollars(line.cost)].filter(Boolean).join(" · ");
}
