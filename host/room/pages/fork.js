// Forking from a step of a trial: the form, and the state of the forks.
import { chooser, el, field, posted, tell, trialPath } from "./dom.js";

const STATES = { running: "running", ended: "ended", failed: "failed" };
const HANDS = [["", "nothing"], ["gui", "mouse and keyboard"], ["tools", "tools"]];
const LASTING = [["once", "for one decision"], ["rest", "for the rest of the episode"]];

export class Forking {
  constructor(run, trial) {
    this.run = run;
    this.trial = trial;
    this.before = null;
    this.dialog = el("dialog", { "aria-labelledby": "fork-title" });
    this.begun = el("div.begun", { role: "status" });
    this.root = el("div", {}, this.begun, this.dialog);
  }

  update(state) {
    this.of = state.runs.find((run) => run.run === this.run);
    const own = state.forks.filter((fork) => fork.run === this.run && fork.trial === this.trial);
    const serialised = JSON.stringify(own);
    if (serialised === this.before) return;
    this.before = serialised;
    this.begun.replaceChildren(...own.map((fork) => el("p", {},
      el("span.chip", { "data-state": fork.state }, STATES[fork.state]), " ",
      `${fork.branches === 1 ? "a branch" : `${fork.branches} branches`} before step ${fork.step}, in ${fork.out}`,
      fork.why ? el("span.result.error", {}, ` ${fork.why}`) : null)));
  }

  ask(step) {
    const wrong = el("p.result.error", { role: "alert" });
    const was = (value) => (value ? `unchanged: ${value}` : "unchanged");
    const fields = {
      model: el("input", { type: "text", name: "model", placeholder: was(this.of?.model), maxlength: "200" }),
      condition: chooser("condition", [["", was(this.of?.condition)], ["gui", "gui"], ["tools", "tools"], ["hybrid", "hybrid"]]),
      hint: el("textarea", { name: "hint", rows: "2", placeholder: "none", maxlength: "4000" }),
      branches: el("input", { type: "number", name: "branches", value: "1", min: "1", max: "20", required: true }),
      hand: chooser("hand", HANDS),
      lasting: chooser("lasting", LASTING),
    };
    const lasting = field("Duration", fields.lasting);
    const forced = () => { lasting.hidden = !fields.hand.value; };
    fields.hand.addEventListener("change", forced);
    forced();
    const start = el("button.primary", { type: "submit" }, "Fork");
    const send = async (event) => {
      event.preventDefault();
      start.disabled = true;
      wrong.textContent = "";
      const values = Object.fromEntries(Object.entries(fields).map(([name, input]) => [name, input.value]));
      try {
        const { run } = await posted(`/api/trials/${trialPath(this.run, this.trial)}/forks`, { ...values, step, branches: Number(values.branches) });
        this.dialog.close();
        tell(`Started from step ${step}, in ${run}.`);
      } catch (error) {
        wrong.textContent = error.message;
      } finally {
        start.disabled = false;
      }
    };
    this.dialog.replaceChildren(el("form.form", { onsubmit: send },
      el("h2", { id: "fork-title" }, `Fork before step ${step}`),
      el("p.quiet", {}, "Starts a new run, next to this one, from the machine's state before that step. Empty fields keep this run's settings."),
      field("Model", fields.model), field("Condition", fields.condition), field("Hint to the model", fields.hint),
      field("Branches", fields.branches), field("Forced", fields.hand), lasting, wrong,
      el("div.controls", {}, start, el("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"))));
    this.dialog.showModal();
    fields.model.focus();
  }
}
