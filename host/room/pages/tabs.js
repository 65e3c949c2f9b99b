// Tabs whose choice is part of the page's address: #/trial/RUN/TRIAL/TAB.
import { el } from "./dom.js";

export class Tabs {
  // `tabs` are [name, text, panel]; `chosen` is called with the name of a tab that is shown.
  constructor(path, tabs, chosen) {
    this.path = path;
    this.tabs = tabs;
    this.chosen = chosen;
    this.buttons = tabs.map(([, text], at) => el("button", { role: "tab", onclick: () => this.go(at) }, text));
    this.list = el("div.tabs", { role: "tablist", "aria-label": "Views of the trial", onkeydown: (event) => this.key(event) }, ...this.buttons);
    for (const [, text, panel] of tabs) {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-label", text);
    }
  }

  // Show a tab and put it into the address.
  go(at) {
    const [name] = this.tabs[at];
    history.replaceState(null, "", `#/trial/${this.path}${name ? `/${name}` : ""}`);
    this.choose(name);
  }

  choose(wanted) {
    const current = Math.max(0, this.tabs.findIndex(([name]) => name === wanted));
    this.tabs.forEach(([, , panel], at) => {
      panel.hidden = at !== current;
      this.buttons[at].setAttribute("aria-selected", String(at === current));
      this.buttons[at].tabIndex = at === current ? 0 : -1;
    });
    this.chosen(this.tabs[current][0]);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = (this.buttons.indexOf(event.target) + step + this.buttons.length) % this.buttons.length;
    this.go(at);
    this.buttons[at].focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
