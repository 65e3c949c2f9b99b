// Selection of two trials to show side by side.
import { el } from "./dom.js";

export class Pair {
  constructor() {
    this.chosen = new Set();
    this.buttons = [];
  }

  // A checkbox that selects the trial at this path.
  box(path, name) {
    const made = el("input", {
      type: "checkbox", "aria-label": `choose ${name} for side by side`,
      onchange: () => {
        if (made.checked) this.chosen.add(path);
        else this.chosen.delete(path);
        this.buttons = this.buttons.filter((button) => button.isConnected);
        for (const button of this.buttons) button.disabled = this.chosen.size !== 2;
      },
    });
    made.checked = this.chosen.has(path);
    return made;
  }

  button() {
    const made = el("button", { disabled: this.chosen.size !== 2, onclick: () => { location.hash = `#/compare/${[...this.chosen].join("/")}`; } }, "Side by side");
    this.buttons.push(made);
    return made;
  }
}
