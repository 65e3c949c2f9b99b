// One trial: its screen, its steps and, while it is running, the controls. When it has ended, the
// same page replays it.
import { dollars, el, fetched, seconds, tell, trialPath, viewer } from "./dom.js";
import { Forking } from "./fork.js";
import { related } from "./kin.js";
import { Live } from "./live.js";
import { Reel } from "./reel.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

export class Desk {
  constructor(place, run, trial) {
    this.run = run;
    this.trial = trial;
    this.reel = new Reel(run, trial);
    this.live = null;
    this.now = null;
    this.facts = el("p.quiet");
    this.heading = el("h1", {}, trial);
    this.screen = el("div.screen");
    this.stage = new Stage(this.screen);
    this.stage.root.hidden = true;
    this.controls = new Controls((order, more) => this.order(order, more), () => this.follow());
    this.instruction = el("p.instruction");
    this.side = el("aside", {}, this.instruction);
    this.forking = new Forking(run, trial);
    this.kin = el("p", { hidden: true }, el("a.kin", { href: `#/tree/${trialPath(run, trial)}` }, "Tree of episodes"));
    this.steps = new Steps(this.side, this.reel, (index) => this.timeline.go(index), (line) => this.forking.ask(line.number));
    this.timeline = new Timeline(this.reel, (index, after) => this.look(index, after), (on) => { this.stage.differ = on; });
    place.append(el("div.desk", {}, el("div.left", {}, this.heading, this.facts, this.kin, this.controls.root, this.forking.root, this.screen, this.timeline.root), this.side));
    this.first = true;
    this.opened = false; // whether the first moment to show has been chosen
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.catchUp();
  }

  close() {
    removeEventListener("keydown", this.keys);
    this.timeline.close();
    this.steps.close();
    this.live?.close();
  }

  update(state) {
    this.known = true;
    this.now = state.live.find((trial) => trial.run === this.run && trial.trial === this.trial) || null;
    const row = state.runs.find((run) => run.run === this.run)?.rows.findLast((line) => line.trial === this.trial);
    this.controls.show(this.now);
    this.facts.textContent = this.now
      ? [this.run, this.now.agent, `step ${this.now.step} of ${this.now.cap}`, seconds(this.now.seconds), dollars(this.now.cost), ...this.now.alarms].filter(Boolean).join(" · ")
      : row ? [this.run, row.agent, row.fate === "scored" ? `score ${row.score}` : row.fate, row.stop, row.steps === 1 ? "1 step" : `${row.steps} steps`, seconds(row.seconds), row.assisted ? "assisted" : "", row.reason].filter(Boolean).join(" · ") : this.run;
    this.kin.hidden = !related(state).has(trialPath(this.run, this.trial));
    this.forking.update(state);
    this.screens();
    this.open();
    // A new attempt may have as many lines as the previous one.
    const stale = !this.now || this.now.id !== this.reel.id || this.now.lines !== this.reel.lines.length;
    if (this.first || stale) this.catchUp();
  }

  async catchUp() {
    try {
      const before = this.reel.again;
      const kept = this.reel.kept;
      const came = await this.reel.more();
      if (this.reel.again !== before) {
        this.steps.clear();
        this.follow();
      }
      this.instruction.textContent = this.reel.start.instruction || "The trial is being set up.";
      if (this.reel.start.task) this.heading.textContent = this.reel.start.task;
      if ([...kept].some((step) => !this.reel.kept.has(step))) this.steps.again();
      if (came.length || this.first) {
        this.steps.grew();
        this.timeline.grew();
        this.screens();
      }
      this.first = false;
      this.open();
    } catch (error) {
      tell(error.message);
    }
  }

  // A running trial is shown live, an ended one from its first step. Its steps may arrive before it
  // is known which of the two it is.
  open() {
    if (this.opened || !this.known || !this.reel.lines.length) return;
    this.opened = true;
    if (!this.now) this.timeline.go(0);
  }

  // Show the live screen while the trial is running and no earlier step is selected. A trial whose
  // screen cannot be watched shows its latest step instead.
  screens() {
    const latest = Boolean(this.now) && !this.looking;
    const wanted = latest && this.now.screen;
    const ended = this.running && !this.now;
    this.running = Boolean(this.now);
    const path = trialPath(this.run, this.trial);
    if (wanted && !this.live) this.live = new Live(this.screen, `/api/trials/${path}/screen`, `/vnc/${path}`);
    if (ended) {
      this.live?.close();
      this.live = null;
      if (this.reel.lines.length) this.timeline.go(this.reel.lines.length - 1);
    }
    if (this.live) {
      this.live.root.hidden = !wanted;
      this.live.mayAct(wanted && this.now.state === "human" && this.now.lease === "mine");
    }
    this.stage.root.hidden = wanted;
    if (latest && !wanted) this.stage.show(this.reel, this.reel.lines.length - 1, true);
    this.controls.looking(Boolean(this.now) && this.looking);
  }

  look(index, after) {
    this.looking = true;
    this.screens();
    this.steps.choose(index);
    this.stage.show(this.reel, index, after);
  }

  follow() {
    this.looking = false;
    this.timeline.stop();
    this.timeline.chosen = false;
    this.timeline.grew();
    this.timeline.where.textContent = "";
    this.screens();
  }

  async order(order, more = {}) {
    try {
      await fetched(`/api/trials/${trialPath(this.run, this.trial)}/orders`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ viewer, order, ...more }),
      });
      if (order === "take") this.follow();
      return true;
    } catch (error) {
      tell(error.message);
      return false;
    }
  }

  key(event) {
    const typing = event.target.closest("input:not([type=range], [type=checkbox]), textarea, select, .live, dialog");
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    this.timeline.key(event);
  }
}

class Controls {
  constructor(order, follow) {
    this.order = order;
    const button = (text, act, title) => el("button", { onclick: act, title }, text);
    this.pause = button("Pause", () => order(this.paused ? "resume" : "pause"), "Pause the agent before its next step, or resume it");
    this.once = button("One step", () => order("step"), "Let the agent take one step and pause it again");
    this.hand = button("Take over", () => order(this.mine ? "give" : "take"), "Use mouse and keyboard yourself; the agent waits");
    this.hint = button("Send hint …", () => this.ask("hint"), "The model receives it before its next step");
    this.end = button("End …", () => this.ask("stop"), "End the trial as done, infeasible or void");
    this.back = el("button.primary", { hidden: true, onclick: follow }, "Back to the present");
    this.state = el("span.chip", { role: "status" });
    this.dialog = el("dialog");
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

  ask(what) {
    const text = el("textarea", { rows: "3", "aria-label": what === "hint" ? "Hint to the model" : "Reason" });
    const answers = what === "hint"
      ? [["Send", {}]]
      : [["Done", { end: "done" }], ["Infeasible", { end: "infeasible" }], ["Void: run again", { end: "void" }]];
    this.dialog.replaceChildren(el("form", { method: "dialog" },
      el("h2", {}, what === "hint" ? "Send a hint" : "End the trial"),
      el("p.quiet", {}, "The result is marked as assisted; reports leave it out unless --assisted is given."),
      text,
      el("div.controls", {}, ...answers.map(([name, more]) => el("button", {
        onclick: async (event) => {
          event.preventDefault();
          if (what === "hint" && !text.value.trim()) return;
          if (await this.order(what, { text: text.value, ...more })) this.dialog.close();
        },
      }, name)), el("button", {}, "Cancel"))));
    this.dialog.showModal();
    text.focus();
  }
}
