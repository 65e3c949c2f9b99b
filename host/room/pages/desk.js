// One trial: its screen, its steps and, while it is running, the controls. When it has ended, the
// same page replays it. Transcript and verdict are tabs of the page.
import { Controls } from "./controls.js";
import { dollars, el, posted, seconds, tell, trialPath, viewer } from "./dom.js";
import { Forking } from "./fork.js";
import { trialsInTrees } from "./relations.js";
import { Live } from "./live.js";
import { Episode } from "./episode.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { Transcript } from "./transcript.js";
import { Verdict } from "./verdict.js";

export class Desk {
  // `tab` and `step` say what is shown first; see `Tabs`.
  constructor(place, run, trial, tab = "", step = "") {
    this.run = run;
    this.trial = trial;
    this.path = trialPath(run, trial);
    this.episode = new Episode(run, trial);
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
    this.tree = el("a.link", { href: `#/tree/${this.path}`, hidden: true }, "Tree of episodes");
    this.attempts = el("span");
    this.steps = new Steps(this.side, this.episode, (index) => this.timeline.go(index), (line) => this.forking.ask(line.number));
    this.timeline = new Timeline(this.episode, (index, after) => this.look(index, after), (on) => { this.stage.differ = on; }, () => this.copyLink());
    this.desk = el("div.desk", {}, el("div.left", {}, this.forking.root, this.screen, this.timeline.root), this.side);
    this.transcript = new Transcript(this.path);
    this.verdict = new Verdict(this.path);
    this.tabs = new Tabs(this.path, [["", "Steps", this.desk], ["transcript", "Transcript", this.transcript.root], ["verdict", "Verdict", this.verdict.root]], (name) => this.tab(name));
    place.append(this.heading, this.facts, el("div.controls.top", {}, this.tabs.list, this.tree, this.attempts, this.controls.root), this.desk, this.transcript.root, this.verdict.root);
    this.first = true;
    this.opened = false; // whether the first moment to show has been chosen
    this.wantedStep = Number(step) || 0;
    this.tabs.choose(tab === "step" ? "" : tab);
    this.catchUp();
  }

  // Whether an address is of this trial; its tab and step are then shown.
  shows([run, trial, tab = "", step = ""]) {
    if (run !== this.run || trial !== this.trial) return false;
    this.tabs.choose(tab === "step" ? "" : tab);
    this.wantedStep = Number(step) || 0;
    if (tab === "transcript") this.transcript.goTo(this.wantedStep);
    else if (this.wantedStep) this.openStep();
    return true;
  }

  tab(name) {
    if (name === "transcript") this.transcript.open(this.wantedStep);
    if (name === "verdict") this.verdict.open();
    if (!name) this.steps.draw();
  }

  close() {
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
      : row ? [this.run, row.agent, row.fate === "scored" ? `score ${row.score}` : row.fate, row.stop, row.steps === 1 ? "1 step" : `${row.steps} steps`, seconds(row.seconds), row.attempts > 1 ? `${row.attempts} attempts` : "", row.stage === "restored" ? "stage restored" : "", row.assisted ? "assisted" : "", row.reason].filter(Boolean).join(" · ") : this.run;
    this.tree.hidden = !trialsInTrees(state).has(this.path);
    this.forking.update(state);
    this.screens();
    this.open();
    // A new attempt may have as many lines as the previous one.
    const stale = !this.now || this.now.id !== this.episode.id || this.now.lines !== this.episode.lines.length;
    if (this.first || stale) this.catchUp();
  }

  async catchUp() {
    try {
      const before = this.episode.again;
      const kept = this.episode.kept;
      const came = await this.episode.more();
      if (this.episode.again !== before) {
        this.steps.clear();
        this.follow();
      }
      this.instruction.textContent = this.episode.start.instruction || "The trial is being set up.";
      if (this.episode.start.task) this.heading.textContent = this.episode.start.task;
      if ([...kept].some((step) => !this.episode.kept.has(step))) this.steps.again();
      this.attempts.replaceChildren(...this.earlier());
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

  // A running trial is shown live, an ended one from its first step, unless the address names a step.
  // Its steps may arrive before it is known which of the two it is.
  open() {
    if (this.opened || !this.known || !this.episode.lines.length) return;
    this.opened = true;
    if (this.wantedStep) this.openStep();
    else if (!this.now) this.timeline.go(0);
  }

  openStep() {
    const index = this.episode.lines.findIndex((line) => line.kind === "step" && line.number === this.wantedStep);
    if (index >= 0) this.timeline.go(index);
  }

  // Links to the void attempts before this one.
  earlier() {
    return this.episode.attempts.map((name, at) => el("a.link", { href: `#/trial/${trialPath(this.run, name)}`, title: "A void attempt, which was repeated" }, `attempt ${at + 1} `));
  }

  // Copy the address of the step that is shown.
  async copyLink() {
    const line = this.episode.lines[this.looking ? Math.floor(this.timeline.at / 2) : this.episode.lines.length - 1];
    if (line?.kind !== "step") return;
    history.replaceState(null, "", `#/trial/${this.path}/step/${line.number}`);
    try {
      await navigator.clipboard.writeText(location.href);
      tell(`Copied a link to step ${line.number}.`);
    } catch {
      tell(`The address of this page is now a link to step ${line.number}.`);
    }
  }

  // Show the live screen while the trial is running and no earlier step is selected. A trial whose
  // screen cannot be watched shows its latest step instead.
  screens() {
    const latest = Boolean(this.now) && !this.looking;
    const wanted = latest && this.now.screen;
    const ended = this.running && !this.now;
    this.running = Boolean(this.now);
    const path = this.path;
    if (wanted && !this.live) this.live = new Live(this.screen, `/api/trials/${path}/screen`, `/vnc/${path}`);
    if (ended) {
      this.live?.close();
      this.live = null;
      if (this.episode.lines.length) this.timeline.go(this.episode.lines.length - 1);
    }
    if (this.live) {
      this.live.root.hidden = !wanted;
      this.live.mayAct(wanted && this.now.state === "human" && this.now.lease === "mine");
    }
    this.stage.root.hidden = wanted;
    if (latest && !wanted) this.stage.show(this.episode, this.episode.lines.length - 1, true);
    this.controls.looking(Boolean(this.now) && this.looking);
  }

  look(index, after) {
    this.looking = true;
    this.screens();
    this.steps.choose(index);
    this.stage.show(this.episode, index, after);
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
      await posted(`/api/trials/${this.path}/orders`, { viewer, order, ...more });
      if (order === "take") this.follow();
      return true;
    } catch (error) {
      tell(error.message);
      return false;
    }
  }

  key(event) {
    if (event.key === "c") this.copyLink();
    else if ("123".includes(event.key)) this.tabs.go(Number(event.key) - 1);
    else if (!this.desk.hidden) this.timeline.key(event);
  }
}
