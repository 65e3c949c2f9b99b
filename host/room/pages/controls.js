// The controls of a running trial, and the dialogs of those that cannot be undone.
import { el } from "./dom.js";

const ENDS = {
  done: ["End as done", "The desktop is judged as it is now, as if the agent had said that it is done.", "The trial gets a score. It counts as assisted, so reports leave it out unless --assisted is given."],
  infeasible: ["End as infeasible", "Judged as if the agent had said that the task cannot be done: it scores 1 if the task is infeasible, and 0 if it can be done.", "The trial gets a score. It counts as assisted, so reports leave it out unless --assisted is given."],
  void: ["End as void", "This attempt gets no score, and the trial is run again from the start on a fresh machine.", "What the agent has done so far does not count. Its record is kept as an earlier attempt."],
};

export class Controls {
  constructor(order, follow) {
    this.order = order;
    const button = (text, act, title) => el("button", { onclick: act, title }, text);
    this.pause = button("Pause", () => order(this.paused ? "resume" : "pause"), "Pause the agent before its next step, or resume it");
    this.once = button("One step", () => order("step"), "Let the agent take one step and pause it again");
    this.hand = button("Take over", () => order(this.mine ? "give" : "take"), "Use mouse and keyboard yourself; the agent waits");
    this.hint = button("Send a hint …", () => this.askHint(), "The model receives it before its next step");
    this.end = button("End …", () => this.askEnd(), "End the trial as done, infeasible or void");
    this.back = el("button.primary", { hidden: true, onclick: follow }, "Back to the present");
    this.state = el("span.chip", { role: "status" });
    this.dialog = el("dialog", { "aria-labelledby": "control-title" });
    this.root = el("div.controls", { role: "toolbar", "aria-label": "Controls", hidden: true },
      this.state, this.pause, this.once, this.hand, this.hint, this.end, this.back, this.dialog);
  }

  show(now) {
    this.root.hidden = !now;
    if (!now) return;
    this.paused = now.state === "paused";
    this.mine = now.state === "human" && now.lease === "mine";
    const waits = { setup: "being set up", running: "running", paused: "paused", human: this.mine ? "you are in control" : "a person is in control", ended: "ended" };
    this.state.textContent = waits[now.state] || now.state;
    this.state.dataset.state = now.state;
    this.pause.textContent = this.paused ? "Resume" : "Pause";
    this.pause.disabled = now.state === "human" || now.state === "ended";
    this.once.disabled = !this.paused;
    this.hand.hidden = !now.screen; // mouse and keyboard need one
    this.hand.textContent = this.mine ? "Hand back" : "Take over";
    this.hand.classList.toggle("primary", this.mine);
    this.hand.disabled = (now.state === "human" && !this.mine && Boolean(now.lease)) || now.state === "ended";
  }

  looking(back) {
    this.back.hidden = !back;
  }

  // Show a dialog with one action, whose button says what it does.
  confirm(title, name, act, ...content) {
    const go = el(`button.${name.startsWith("End") ? "danger" : "primary"}`, {
      onclick: async (event) => {
        event.preventDefault();
        if (await act()) this.dialog.close();
      },
    }, name);
    this.dialog.replaceChildren(el("form.form", { method: "dialog" }, el("h2", { id: "control-title" }, title), ...content,
      el("div.controls", {}, go, el("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"))));
    this.dialog.showModal();
    return go;
  }

  askHint() {
    const text = el("textarea", { rows: "3", "aria-label": "Hint to the model", maxlength: "4000" });
    this.confirm("Send a hint", "Send", async () => text.value.trim() && this.order("hint", { text: text.value }),
      el("p.quiet", {}, "The model reads it before its next step. The trial counts as assisted; reports leave it out unless --assisted is given."), text);
    text.focus();
  }

  // End the trial: which of the three, and what that means, before the button can be pressed.
  askEnd() {
    let chosen = "";
    const text = el("textarea", { rows: "2", "aria-label": "Reason", placeholder: "Reason (kept in the record)", maxlength: "4000" });
    const meaning = el("p.consequence", { role: "status" }, "Choose how it ends.");
    const choices = Object.entries(ENDS).map(([end, [name, what, then]]) => el("label.choice", {},
      el("input", {
        type: "radio", name: "end", value: end,
        onchange: () => {
          chosen = end;
          meaning.textContent = `${then} This cannot be undone.`;
          go.textContent = name;
          go.disabled = false;
        },
      }), el("span", {}, el("strong", {}, name), el("span.quiet", {}, what))));
    const go = this.confirm("End the trial", "End …", () => this.order("stop", { end: chosen, text: text.value }), ...choices, text, meaning);
    go.disabled = true;
    this.dialog.querySelector("input").focus();
  }
}
