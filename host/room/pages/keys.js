// The keys of each page, and the dialog that lists them.
import { el } from "./dom.js";

const KEYS = {
  Everywhere: [["?", "show these keys"], ["Esc", "close a dialog"]],
  Wall: [["/", "search"], ["a", "only trials that need attention"], ["n", "start a run"]],
  Trial: [
    ["← →", "half a step back or forward"], ["↑ ↓", "a step"], ["Page Up, Page Down", "ten steps"], ["Home, End", "the first or last step"],
    ["Space", "play or stop"], ["c", "copy a link to this step"], ["1 2 3", "steps, transcript, verdict"],
  ],
};

const dialog = el("dialog.keys", { "aria-labelledby": "keys-title" });

export function showKeys() {
  if (!dialog.isConnected) document.body.append(dialog);
  if (dialog.open) return;
  dialog.replaceChildren(el("form", { method: "dialog" }, el("h2", { id: "keys-title" }, "Keys"),
    ...Object.entries(KEYS).flatMap(([page, keys]) => [
      el("h3", {}, page),
      el("dl", {}, ...keys.flatMap(([key, what]) => [el("dt", {}, ...key.split(", ").flatMap((name, at) => [at ? " " : null, el("kbd", {}, name)])), el("dd", {}, what)])),
    ]), el("div.controls", {}, el("button", {}, "Close"))));
  dialog.showModal();
}

// Whether a key press is meant for the page, and not for a field or a live screen.
export function forPage(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  return !event.target.closest("input:not([type=range], [type=checkbox], [type=radio]), textarea, select, .live, dialog");
}
