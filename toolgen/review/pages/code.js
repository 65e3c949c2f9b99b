// Code and differences, built from highlighted words. The server sends no markup.
import { el } from "/pages/dom.js";

const word = ([kind, text]) => (kind ? el("span", { class: kind }, text) : text);
const SIGN_LABELS = { "+": "added", "-": "removed" };

export function code(lines, label) {
  return el("pre.code", { tabindex: "0", role: "region", "aria-label": label },
    ...lines.map((words, at) => el("span.line", { "data-number": String(at + 1) }, ...words.map(word), "\n")));
}

export function diff(lines, label) {
  const rows = lines.map(({ sign, earlier, later, words }) => (sign === "@"
    ? el("span.line.gap", { "aria-label": "omitted lines" }, "\n")
    : el("span.line", { class: `line ${{ "+": "added", "-": "removed" }[sign] || ""}`, "data-number": String(later ?? earlier) },
      el("span.sign", { "aria-label": SIGN_LABELS[sign] || null }, sign), ...words.map(word), "\n")));
  return el("pre.code.diff", { tabindex: "0", role: "region", "aria-label": label },
    ...(lines.length ? rows : [el("span.quiet", {}, "No changes.")]));
}

// A group of buttons, one of which is pressed, and below it the content of that one.
export function views(label, choices) {
  const place = el("div");
  const buttons = choices.map(([name, content], at) => el("button", {
    "aria-pressed": "false",
    onclick: () => {
      buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === at)));
      place.replaceChildren(content());
    },
  }, name));
  buttons[0].click();
  return el("div.views", {}, el("div.controls", { role: "group", "aria-label": label }, ...buttons), place);
}
