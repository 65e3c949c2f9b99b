// Code and what changed in it, from coloured words: no markup comes from the server.
import { el } from "/pages/dom.js";

const word = ([kind, text]) => (kind ? el("span", { class: kind }, text) : text);
const SAID = { "+": "added", "-": "taken out" };

export function code(lines, label) {
  return el("pre.code", { tabindex: "0", role: "region", "aria-label": label },
    ...lines.map((words, at) => el("span.line", { "data-number": String(at + 1) }, ...words.map(word), "\n")));
}

export function diff(lines, label) {
  const shown = lines.map(({ sign, earlier, later, words }) => (sign === "@"
    ? el("span.line.gap", { "aria-label": "lines left out" }, "\n")
    : el("span.line", { class: `line ${{ "+": "added", "-": "removed" }[sign] || ""}`, "data-number": String(later ?? earlier) },
      el("span.sign", { "aria-label": SAID[sign] || null }, sign), ...words.map(word), "\n")));
  return el("pre.code.diff", { tabindex: "0", role: "region", "aria-label": label },
    ...(lines.length ? shown : [el("span.quiet", {}, "Nothing differs.")]));
}

// Buttons of which one is pressed, and below them what it shows.
export function views(label, choices) {
  const place = el("div");
  const buttons = choices.map(([name, made], at) => el("button", {
    "aria-pressed": "false",
    onclick: () => {
      buttons.forEach((each, other) => each.setAttribute("aria-pressed", String(other === at)));
      place.replaceChildren(made());
    },
  }, name));
  buttons[0].click();
  return el("div.views", {}, el("div.controls", { role: "group", "aria-label": label }, ...buttons), place);
}
