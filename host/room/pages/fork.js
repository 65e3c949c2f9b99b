// Going on from a step of a trial in a run of its own: the form, and what came of it.
import { el, fetched, tell, trialPath } from "./dom.js";

const STATES = { running: "under way", ended: "ended", failed: "failed" };
const HANDS = [["", "nothing"], ["gui", "mouse and keyboard"], ["tools", "tools"]];
const LASTING = [["once", "for one decision"], ["rest", "for all the rest"]];

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
    this.of = state.runs.find((each) => each.run === this.run);
    const own = state.forks.filter((each) => each.run === this.run && each.trial === this.trial);
    const said = JSON.stringify(own);
    if (said === this.before) return;
    this.before = said;
    this.begun.replaceChildren(...own.map((each) => el("p", {},
      el("span.chip", { "data-state": each.state }, STATES[each.state]), " ",
      `${each.branches === 1 ? "a branch" : `${each.branches} branches`} before step ${each.step}, in ${each.out}`,
      each.why ? el("span.result.error", {}, ` ${each.why}`) : null)));
  }

  ask(step) {
    const wrong = el("p.result.error", { role: "alert" });
    const was = (value) => (value ? `as it was: ${value}` : "as it was");
    const fields = {
      model: el("input", { type: "text", name: "model", placeholder: was(this.of?.model), maxlength: "200" }),
      condition: chooser("condition", [["", was(this.of?.condition)], ["gui", "gui"], ["tools", "tools"], ["hybrid", "hybrid"]]),
      hint: el("textarea", { name: "hint", rows: "2", placeholder: "nothing", maxlength: "4000" }),
      branches: el("input", { type: "number", name: "branches", value: "1", min: "1", max: "20", required: true }),
      hand: chooser("hand", HANDS),
      lasting: chooser("lasting", LASTING),
    };
    const lasting = field("How long", fields.lasting);
    const forced = () => { lasting.hidden = !fields.hand.value; };
    fields.hand.addEventListener("change", forced);
    forced();
    const start = el("button.primary", { type: "submit" }, "Fork");
    const send = async (event) => {
      event.preventDefault();
      start.disabled = true;
      wrong.textContent = "";
      const said = Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, each.value]));
      try {
        const { run } = await fetched(`/api/trials/${trialPath(this.run, this.trial)}/forks`, {
          method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...said, step, branches: Number(said.branches) }),
        });
        this.dialog.close();
        tell(`It goes on from step ${step}, in ${run}.`);
      } catch (error) {
        wrong.textContent = error.message;
      } finally {
        start.disabled = false;
      }
    };
    this.dialog.replaceChildren(el("form.form", { onsubmit: send },
      el("h2", { id: "fork-title" }, `Fork before step ${step}`),
      el("p.quiet", {}, "A run of its own, beside this one, goes on from the machine as it was then. What stays empty is as it was."),
      field("Model", fields.model), field("Condition", fields.condition), field("Hint to the model", fields.hint),
      field("Branches", fields.branches), field("Forced", fields.hand), lasting, wrong,
      el("div.controls", {}, start, el("button", { type: "button", onclick: () => this.dialog.close() }, "Leave it"))));
    this.dialog.showModal();
    fields.model.focus();
  }
}

function chooser(name, options) {
  return el("select", { name }, ...options.map(([value, text]) => el("option", { value }, text)));
}

const field = (name, input) => el("label", {}, el("span", {}, name), input);
