// The list of steps and orders. Only visible items are in the document, so that a thousand steps
// open as fast as ten.
import { callText, dollars, el, isGui, seconds } from "./dom.js";

const GUESS = 84; // assumed height in pixels of a step not drawn yet
const ORDERS = {
  pause: "paused the agent", resume: "resumed the agent", step: "requested one step", hint: "sent a hint", stop: "ended the trial",
  take: "took over", give: "handed back",
};

export class Steps {
  // `chosen` is called with the index of a selected line; `fork`, if given, with a line to fork at.
  constructor(place, episode, chosen, fork = null) {
    this.episode = episode;
    this.chosen = chosen;
    this.fork = fork;
    this.current = -1;
    this.heights = [];
    this.drawn = new Map();
    this.space = el("div.space", { role: "list", "aria-label": "steps" });
    this.root = el("div.steps", { tabindex: "0", "aria-label": "Steps of the episode" }, this.space);
    this.root.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.root);
    place.append(this.root);
  }

  close() {
    this.resized.disconnect();
  }

  // A new attempt has replaced the trial: discard the previous one's items.
  clear() {
    this.wipe();
    this.heights = [];
    this.current = -1;
  }

  // Redraw all items, as after a checkpoint was deleted.
  again() {
    this.wipe();
    this.draw();
  }

  wipe() {
    for (const item of this.drawn.values()) item.remove();
    this.drawn.clear();
  }

  // Draw new lines; keep the list scrolled to the end if it was there.
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
    const visible = new Set();
    let top = 0;
    this.episode.lines.forEach((line, index) => {
      const height = this.heights[index] || GUESS;
      if (top + height >= from && top <= to) visible.add(index);
      top += height;
    });
    for (const [index, item] of this.drawn) {
      if (!visible.has(index)) {
        item.remove();
        this.drawn.delete(index);
      }
    }
    for (const index of [...visible].sort((a, b) => a - b)) {
      if (this.drawn.has(index)) continue;
      const item = this.item(index);
      this.drawn.set(index, item);
      this.space.append(item);
    }
    let moved = false;
    for (const index of visible) {
      const height = this.drawn.get(index).offsetHeight;
      if (height && height !== this.heights[index]) {
        this.heights[index] = height;
        moved = true;
      }
    }
    for (const index of visible) this.drawn.get(index).style.top = `${this.top(index)}px`;
    if (moved || this.space.dataset.count !== String(this.episode.lines.length)) {
      this.space.dataset.count = String(this.episode.lines.length);
      this.space.style.height = `${this.top(this.episode.lines.length)}px`;
    }
  }

  item(index) {
    const line = this.episode.lines[index];
    const item = this[line.kind](line, index);
    item.setAttribute("role", "listitem");
    item.setAttribute("aria-posinset", String(index + 1));
    item.setAttribute("aria-setsize", String(this.episode.lines.length));
    if (index === this.current) {
      item.classList.add("current");
      item.setAttribute("aria-current", "true");
    }
    return item;
  }

  person(line) {
    const text = line.text ? `: ${line.text}` : "";
    return el("div.step.person", {}, el("p", {}, `A person ${ORDERS[line.order] || line.order}${line.end ? ` as ${line.end}` : ""}${text}`));
  }

  colleague(line) {
    return el("div.step.colleague", {}, el("p.quiet", {}, `${line.login} was asked: ${line.asked}`), el("p", {}, `${line.login} answered: ${line.answer}`));
  }

  // The checkpoint before a step, if there is one: a button to fork, or a note.
  keptAs(line) {
    if (!line.kept) return null;
    const available = !this.episode.kept || this.episode.kept.has(line.number);
    if (!available) return el("span.quiet", { title: "The checkpoint before this step has been deleted" }, "checkpoint deleted");
    if (!this.fork) return el("span.chip.kept", { title: "A checkpoint was saved before this step" }, "checkpoint");
    return el("button.kept", {
      "aria-label": `Fork before step ${line.number}`, title: "Start branches from the checkpoint before this step",
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
    return el(`div.step.${line.actor}${hash ? "" : ".screenless"}`, { onclick: () => this.chosen(index) },
      hash ? el("button.thumbnail", { "aria-label": `Show the screen after step ${line.number}`, onclick: (event) => { event.stopPropagation(); this.chosen(index); } },
        el("img", { src: this.episode.frame(hash, 240), alt: "", width: 120, height: 68, loading: "lazy", decoding: "async" })) : null,
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
