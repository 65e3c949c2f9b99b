// A live sandbox desktop to call the draft on.
import { el, fetched, seconds, shortArgument, tell, viewer } from "/pages/dom.js";
import { Live } from "/pages/live.js";
import { Fields } from "./fields.js";

const POLL_MS = 700;
const STATES = { starting: "starting", ready: "ready", calling: "running", failed: "failed" };

export class Try {
  constructor(card) {
    this.staged = el("input", { type: "checkbox", id: "staged" });
    this.button = el("button.primary", { onclick: () => this.order({ order: "start", candidate: this.card.name, staged: this.staged.checked }) });
    this.endButton = el("button", { onclick: () => this.order({ order: "end" }) }, "End the desktop");
    this.handButton = el("button", { onclick: () => this.order({ order: this.mine ? "give" : "take", viewer }) });
    this.state = el("span.chip", { role: "status" });
    this.note = el("p.quiet");
    this.screen = el("div.screen");
    this.form = el("div.call");
    this.calls = el("div.calls", { role: "log", "aria-label": "Call results" });
    this.setupLabel = el("label", {}, this.staged, "with the task's setup");
    this.body = el("div.desk-try", {}, this.screen, el("div", {}, this.form, this.calls));
    this.root = el("section", { "aria-label": "Try it" }, el("h2", {}, "Try it"),
      el("div.controls", {}, this.button, this.setupLabel, this.handButton, this.endButton, this.state), this.note, this.body);
    this.desk = { state: "none" };
    this.acting = false;
    this.show(card);
    this.poll();
  }

  show(card) {
    this.card = card;
    this.setupLabel.hidden = !card.task;
    this.render();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.live?.close();
  }

  async poll() {
    clearTimeout(this.timer);
    try {
      this.desk = await fetched("/api/desk");
    } catch (error) {
      this.desk = { state: "failed", note: error.message, calls: [], tools: [] };
    }
    if (this.closed) return;
    this.render();
    if (this.desk.state !== "none") this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  async order(order) {
    try {
      await fetched("/api/desk", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(order) });
    } catch (error) {
      tell(error.message);
    }
    await this.poll();
  }

  render() {
    const { state } = this.desk;
    const none = state === "none";
    const own = !none && this.desk.candidate === this.card.name && this.desk.draft === this.card.now?.n;
    this.mine = Boolean(own && this.desk.viewer === viewer);
    this.button.textContent = none ? "Start a desktop" : own ? "Start afresh" : `Start afresh with draft ${this.card.now?.n} of ${this.card.name}`;
    this.button.classList.toggle("primary", !own);
    this.button.disabled = state === "starting" || state === "calling";
    this.state.hidden = this.endButton.hidden = none;
    this.endButton.disabled = state === "starting";
    this.handButton.hidden = !own || state === "failed";
    this.handButton.textContent = this.mine ? "Release mouse and keyboard" : "Use mouse and keyboard";
    this.handButton.setAttribute("aria-pressed", String(Boolean(this.mine)));
    this.state.textContent = STATES[state] || "";
    this.state.dataset.state = state === "ready" ? "" : "paused";
    this.note.textContent = none
      ? "A fresh sandbox without a network, for you alone. The draft runs there and nowhere else."
      : own ? this.desk.note : `Your desktop is running ${this.desk.candidate}, draft ${this.desk.draft}.`;
    this.note.classList.toggle("failed", state === "failed");
    this.body.hidden = !own;
    this.watch(own && this.desk.screen);
    // Only on a change: a screen that takes input grabs the keyboard.
    if (this.live && this.acting !== this.mine) this.live.mayAct(this.acting = this.mine);
    if (own) this.showCalls();
  }

  watch(visible) {
    if (visible && !this.live) this.live = new Live(this.screen, "/api/desk/screen", "/vnc/desk");
    if (!visible && this.live) {
      this.live.close();
      this.live = null;
      this.acting = false;
    }
  }

  showCalls() {
    const [tool] = this.desk.tools;
    const schema = tool ? JSON.stringify(tool) : "";
    if (schema !== this.schema) {
      this.schema = schema;
      this.fields = tool ? new Fields(tool, (values) => this.order({ order: "call", arguments: values })) : null;
      this.form.replaceChildren(this.fields?.root || "");
    }
    this.fields?.enable(this.desk.state === "ready");
    const results = JSON.stringify([this.desk.calls, this.desk.marks]);
    if (results === this.results) return;
    this.results = results;
    this.calls.replaceChildren(
      ...this.desk.marks.map((mark) => el("p.result.error", {}, `Access denied (${mark.rule}): ${mark.what}`)),
      ...this.desk.calls.map(callResult));
  }
}

function callResult(call) {
  const argumentText = Object.entries(call.with).map(([name, value]) => `${name}=${shortArgument(value)}`).join(", ");
  return el("article.call-result", {}, el("code", {}, `${call.call}(${argumentText})`), " ", el("span.quiet", {}, seconds(call.seconds)),
    call.error ? el("pre.text.error", { tabindex: "0" }, `${call.bug ? "Unexpected error (not a ToolError): " : ""}${call.error}`)
      : el("pre.text", { tabindex: "0" }, JSON.stringify(call.value, null, 1)));
}
