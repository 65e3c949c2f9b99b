// Telling a person that a trial needs them: the title of the page, a link in its header and, where
// they ask for it, a notification of the browser.
import { el, trialPath } from "./dom.js";
import { needing } from "./state.js";

const KEPT = "notify";

export class Notices {
  constructor(place) {
    this.known = null; // the trials that needed attention at the last look
    this.title = "Ambidex";
    this.link = el("a.chip.alarm", { href: "#/?attention=1", hidden: true });
    this.button = el("button", { onclick: () => this.toggle(), title: "Notify me when a trial needs attention", hidden: typeof Notification === "undefined" });
    place.append(this.link, this.button);
    this.show();
  }

  get on() {
    return typeof Notification !== "undefined" && Notification.permission === "granted" && localStorage.getItem(KEPT) === "on";
  }

  async toggle() {
    const on = !this.on && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(KEPT, on ? "on" : "off");
    this.show();
  }

  show() {
    this.button.textContent = this.on ? "Notifications on" : "Notify me";
    this.button.setAttribute("aria-pressed", String(this.on));
    const count = this.known?.size || 0;
    document.title = `${count ? `(${count}) ` : ""}${this.title}`;
    this.link.hidden = !count;
    this.link.textContent = count === 1 ? "1 needs attention" : `${count} need attention`;
  }

  page(title) {
    this.title = title;
    this.show();
  }

  update(state) {
    const before = this.known;
    const wanting = needing(state);
    this.known = new Map(wanting.map((trial) => [trialPath(trial.run, trial.trial), trial]));
    this.show();
    if (!this.on || !before) return;
    for (const [path, trial] of this.known) {
      if (before.has(path)) continue;
      const notice = new Notification(`${trial.task} needs attention`, { body: `${trial.alarms.join(", ")}\n${trial.run}`, tag: path });
      notice.onclick = () => { window.focus(); location.hash = `#/trial/${path}`; notice.close(); };
    }
  }
}
