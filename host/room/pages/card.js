// A running trial on the wall: its picture, its last action, and why it needs attention.
import { callText, dollars, el, seconds, trialPath } from "./dom.js";
import { treeLink } from "./rows.js";

export const STATES = { setup: "being set up", running: "running", paused: "paused", human: "a person is in control", ended: "ended" };

export class Card {
  constructor(trial) {
    this.path = trialPath(trial.run, trial.trial);
    this.picture = el("img", { alt: "", width: 480, height: 270, decoding: "async" });
    this.told = el("p.told"); // instead of a picture, where there is no screen
    this.task = el("strong");
    this.state = el("span.chip");
    this.step = el("span");
    this.last = el("p.last");
    this.bar = el("progress");
    this.alarms = el("p.alarms");
    this.more = el("span.quiet");
    this.card = el("a.card", { href: `#/trial/${this.path}` },
      el("div.picture", {}, this.picture, this.told, this.state),
      el("div.words", {}, el("p", {}, this.task), this.bar, el("p", {}, this.step, " ", this.more), this.last, this.alarms));
    this.tree = treeLink(this.path, trial.trial);
    this.root = el("div.place", {}, this.card, this.tree);
    this.shown = -1;
  }

  update(trial, inTree) {
    this.tree.hidden = !inTree;
    this.task.textContent = trial.task;
    this.state.textContent = STATES[trial.state] || trial.state;
    this.state.dataset.state = trial.state;
    this.step.textContent = `step ${trial.step} of ${trial.cap}`;
    this.bar.max = trial.cap;
    this.bar.value = trial.step;
    this.bar.setAttribute("aria-label", `steps of ${trial.task}`);
    this.more.textContent = [trial.run, trial.agent, seconds(trial.seconds), dollars(trial.cost)].filter(Boolean).join(" · ");
    this.last.textContent = trial.last ? callText(trial.last) : "";
    this.alarms.replaceChildren(...trial.alarms.map((alarm) => el("span.chip.alarm", {}, alarm)));
    this.told.textContent = trial.told;
    this.card.classList.toggle("wanting", trial.alarms.length > 0);
    if (trial.picture && trial.picture !== this.shown) {
      this.shown = trial.picture;
      this.picture.src = `/live/${this.path}?n=${trial.picture}`;
      this.picture.alt = `the screen of ${trial.task}`;
    }
  }
}
