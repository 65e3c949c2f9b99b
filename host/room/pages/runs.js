// Starting, stopping, resuming and comparing runs, each in a dialog that says what will happen.
import { chooser, el, fetched, field, posted, tell } from "./dom.js";

export class RunDialogs {
  constructor() {
    this.root = el("dialog", { "aria-labelledby": "run-title" });
  }

  show(title, ...content) {
    this.root.replaceChildren(el("form.form", { method: "dialog" }, el("h2", { id: "run-title" }, title), ...content));
    this.root.showModal();
  }

  buttons(act) {
    return el("div.controls", {}, act, el("button", { type: "button", onclick: () => this.root.close() }, "Cancel"));
  }

  // Ask the server; the dialog stays open and shows a refusal.
  async send(event, address, body, told) {
    event.preventDefault();
    this.wrong.textContent = "";
    try {
      const answer = await posted(address, body);
      this.root.close();
      tell(told(answer));
    } catch (error) {
      this.wrong.textContent = error.message;
    }
  }

  start(state) {
    this.wrong = el("p.result", { role: "alert" });
    this.wrong.classList.add("error");
    const latest = [...(state?.runs || [])].sort((one, other) => (other.changed || 0) - (one.changed || 0))[0];
    const fields = {
      suite: el("input", { type: "text", name: "suite", required: true, placeholder: "tasks/demo", maxlength: "1000" }),
      tasks: el("input", { type: "text", name: "tasks", placeholder: "all", maxlength: "1000" }),
      model: el("input", { type: "text", name: "model", placeholder: "none: the oracle plays", maxlength: "1000", value: latest?.model || "" }),
      agent: el("input", { type: "text", name: "agent", placeholder: "model if one is named, otherwise oracle", maxlength: "1000" }),
      condition: chooser("condition", [["hybrid", "hybrid"], ["gui", "gui"], ["tools", "tools"]]),
      provider: chooser("provider", [["", "default"], ["libvirt", "libvirt"], ["sandbox", "sandbox"]]),
      runs: el("input", { type: "number", name: "runs", value: "1", min: "1", max: "10000" }),
      steps: el("input", { type: "number", name: "steps", value: "15", min: "1", max: "100000" }),
      machines: el("input", { type: "number", name: "machines", value: "1", min: "1", max: "256" }),
    };
    const line = el("code.command");
    const values = () => Object.fromEntries(Object.entries(fields).map(([name, input]) => [name, input.type === "number" ? Number(input.value) : input.value.trim()]));
    const show = () => {
      const { suite, tasks, ...rest } = values();
      const options = Object.entries(rest).filter(([, value]) => value).map(([name, value]) => `--${name} ${value}`);
      line.textContent = ["ambidex run", suite || "SUITE", ...options, ...(tasks ? [`--tasks ${tasks}`] : [])].join(" ");
    };
    const go = el("button.primary", { onclick: (event) => this.send(event, "/api/runs", values(), ({ run }) => `Started ${run}.`) }, "Start the run");
    this.show("Start a run",
      el("p.quiet", {}, "Starts a process on the control room's computer, which keeps running when this page or the room is closed. Requests to a model cost money."),
      field("Suite", fields.suite), field("Tasks", fields.tasks), field("Model", fields.model), field("Agent", fields.agent),
      field("Condition", fields.condition), field("Trials per task", fields.runs), field("Steps at most", fields.steps),
      field("Machines", fields.machines), field("Provider", fields.provider), line, this.wrong, this.buttons(go));
    this.root.querySelector("form").addEventListener("input", show);
    show();
    fields.suite.focus();
  }

  stop(run) {
    this.wrong = el("p.result.error", { role: "alert" });
    const go = el("button.danger", { onclick: (event) => this.send(event, `/api/runs/${encodeURIComponent(run.run)}/stop`, {}, () => `Stopping ${run.run}.`) }, "Stop the run");
    this.show(`Stop ${run.run}?`,
      el("p", {}, "Trials in progress are abandoned without a result, and their machines are closed. Trials that have ended keep their scores."),
      el("p.quiet", {}, "Resuming the run starts the abandoned trials again. If the run is part of an experiment, the whole experiment stops."), this.wrong, this.buttons(go));
  }

  // Choose the run to compare this one with, those of the same suite first.
  compare(run) {
    const others = this.runs.filter((other) => other.run !== run.run && other.scored);
    others.sort((one, other) => Number(other.suite === run.suite) - Number(one.suite === run.suite));
    if (!others.length) {
      tell("No other run has a score to compare with.");
      return;
    }
    const other = chooser("other", others.map(({ run: name, suite }) => [name, suite === run.suite ? name : `${name} (${suite})`]));
    this.wrong = el("p.result.error", { role: "alert" });
    const open = async (event) => {
      event.preventDefault();
      const address = `/runs/${encodeURIComponent(run.run)}/compare/${encodeURIComponent(other.value)}`;
      try {
        await fetched(address);
        location.assign(address);
      } catch (error) {
        this.wrong.textContent = error.message;
      }
    };
    const go = el("button.primary", { onclick: open }, "Compare");
    this.show(`Compare ${run.run}`,
      el("p", {}, "Opens a page with the tasks that one run solved more often than the other, each at the first step at which they differ."),
      field("With", other), this.wrong, this.buttons(go));
  }

  async resume(run) {
    this.wrong = el("p.result.error", { role: "alert" });
    try {
      const { command, directory } = await fetched(`/api/runs/${encodeURIComponent(run.run)}/command`);
      const go = el("button.primary", { onclick: (event) => this.send(event, `/api/runs/${encodeURIComponent(run.run)}/resume`, {}, () => `Resuming ${run.run}.`) }, "Resume the run");
      this.show(`Resume ${run.run}?`,
        el("p", {}, `Runs the ${run.planned - run.done} trials without a score, with the same command as before, in ${directory}:`),
        el("code.command", {}, command), el("p.quiet", {}, "Only resume runs whose command you trust."), this.wrong, this.buttons(go));
    } catch (error) {
      tell(error.message);
    }
  }
}
