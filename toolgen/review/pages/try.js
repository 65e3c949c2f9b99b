// A sandbox desktop on which the draft is called, live.
import { el, fetched, seconds, shortArgument, tell, viewer } from "/pages/dom.js";
import { Live } from "/pages/live.js";
import { Fields } from "./fields.js";

const EVERY = 700;
const WAITS = { starting: "being started", ready: "ready", calling: "at work", failed: "failed" };

export class Try {
  constructor(card) {
    this.staged = el("input", { type: "checkbox", id: "staged" });
    this.button = el("button.primary", { onclick: () => this.order({ order: "start", candidate: this.card.name, staged: this.staged.checked }) });
    this.endButton = el("button", { onclick: () => this.order({ order: "end" }) }, "End the desktop");
    this.hand = el("button", { onclick: () => this.order({ order: this.mine ? "give" : "take", viewer }) });
    this.state = el("span.chip", { role: "status" });
    this.note = el("p.quiet");
    this.screen = el("div.screen");
    this.form = el("div.call");
    this.calls = el("div.calls", { role: "log", "aria-label": "What came of the calls" });
    this.stagedLabel = el("label", {}, this.staged, "with the task's stage set");
    this.body = el("div.desk-try", {}, this.screen, el("div", {}, this.form, this.calls));
    this.root = el("section", { "aria-label": "Try it" }, el("h2", {}, "Try it"),
      el("div.controls", {}, this.button, this.stagedLabel, this.hand, this.endButton, this.state), this.note, this.body);
    this.said = { state: "none" };
    this.acting = false;
    this.about(card);
    this.look();
  }

  about(card) {
    this.card = card;
    this.stagedLabel.hidden = !card.task;
    this.render();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.live?.close();
  }

  async look() {
    clearTimeout(this.timer);
    try {
      this.said = await fetched("/api/desk");
    } catch (error) {
      this.said = { state: "failed", note: error.message, calls: [], tools: [] };
    }
    if (this.closed) return;
    this.render();
    if (this.said.state !== "none") this.timer = setTimeout(() => this.look(), EVERY);
  }

  async order(asked) {
    try {
      await fetched("/api/desk", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked) });
    } catch (error) {
      tell(error.message);
    }
    await this.look();
  }

  render() {
    const { state } = this.said;
    const none = state === "none";
    const own = !none && this.said.candidate === this.card.name && this.said.draft === this.card.now?.n;
    this.mine = Boolean(own && this.said.viewer === viewer);
    this.button.textContent = none ? "Start a desktop" : own ? "Start afresh" : `Start afresh with draft ${this.card.now?.n} of ${this.card.name}`;
    this.button.classList.toggle("primary", !own);
    this.button.disabled = state === "starting" || state === "calling";
    this.state.hidden = this.endButton.hidden = none;
    this.endButton.disabled = state === "starting";
    this.hand.hidden = !own || state === "failed";
    this.hand.textContent = this.mine ? "Hands off" : "Use mouse and keyboard";
    this.hand.setAttribute("aria-pressed", String(Boolean(this.mine)));
    this.state.textContent = WAITS[state] || "";
    this.state.dataset.state = state === "ready" ? "" : "paused";
    this.note.textContent = none
      ? "A fresh sandbox without a network, for you alone. The draft is called there and nowhere else."
      : own ? this.said.note : `Your desktop is at ${this.said.candidate}, draft ${this.said.draft}.`;
    this.note.classList.toggle("failed", state === "failed");
    this.body.hidden = !own;
    this.watch(own && this.said.screen);
    // Said once: a screen that may be acted on takes the keys to itself.
    if (this.live && this.acting !== this.mine) this.live.mayAct(this.acting = this.mine);
    if (own) this.answers();
  }

  watch(wanted) {
    if (wanted && !this.live) this.live = new Live(this.screen, "/api/desk/screen", "/vnc/desk");
    if (!wanted && this.live) {
      this.live.close();
      this.live = null;
      this.acting = false;
    }
  }

  answers() {
    const [tool] = this.said.tools;
    const known = tool ? JSON.stringify(tool) : "";
    if (known !== this.known) {
      this.known = known;
      this.fields = tool ? new Fields(tool, (values) => this.order({ order: "call", arguments: values })) : null;
      this.form.replaceChildren(this.fields?.root || "");
    }
    this.fields?.enable(this.said.state === "ready");
    const heard = JSON.stringify([this.said.calls, this.said.marks]);
    if (heard === this.heard) return;
    this.heard = heard;
    this.calls.replaceChildren(
      ...this.said.marks.map((mark) => el("p.result.error", {}, `It reached for what it may not have (${mark.rule}): ${mark.what}`)),
      ...this.said.calls.map(came));
  }
}

function came(call) {
  const given = Object.entries(call.with).map(([name, value]) => `${name}=${shortArgument(value)}`).join(", ");
  return el("article.came", {}, el("code", {}, `${call.call}(${given})`), " ", el("span.quiet", {}, seconds(call.seconds)),
    call.error ? el("pre.text.error", { tabindex: "0" }, `${call.bug ? "A bug, not an error of the tool's own. " : ""}${call.error}`)
      : el("pre.text", { tabindex: "0" }, JSON.stringify(call.value, null, 1)));
}
