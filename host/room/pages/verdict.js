// A trial's verdict: the score, the checks with what they expected and found, the evidence, and the
// causes of a failure that reviewers tick.
import { el, fetched, posted, tell } from "./dom.js";

const STATES = { absent: "missing in the guest", too_large: "too large", unreadable: "cannot be read", folder: "a folder", link: "a link", special: "not a plain file", failed: "the question failed" };

export class Verdict {
  constructor(path) {
    this.path = path;
    this.root = el("section.sheet");
  }

  async open() {
    try {
      this.draw(await fetched(`/api/trials/${this.path}/verdict`));
    } catch (error) {
      tell(error.message);
    }
  }

  draw({ score, evidence, causes, labels }) {
    const scored = score.value !== undefined && score.value !== null;
    const good = scored && score.value >= (score.threshold ?? 1);
    this.checks = el("div", {}, el("p.quiet", {}, "Judging the evidence again …"));
    this.root.replaceChildren(
      el("h2", {}, "Score"),
      scored ? el("p", {}, el(`span.score.${good ? "good" : "poor"}`, {}, String(+score.value.toFixed(3))), ` ${score.reason || ""}`) : el("p.quiet", {}, "This attempt has no score."),
      ...(score.strict === undefined ? [] : [el("p", {}, `Strict: ${score.strict} ${score.strict_reason || ""}`)]),
      el("h2", {}, "Checks"), this.checks,
      el("h2", {}, "Evidence"), this.evidence(evidence),
      ...(scored && !good ? [el("h2", {}, "Why it failed"), this.labels(causes, labels)] : []),
    );
    if (scored) this.judge();
    else this.checks.replaceChildren(el("p.quiet", {}, "Checks are shown when the trial has a score."));
  }

  async judge() {
    try {
      const { checks, note } = await fetched(`/api/trials/${this.path}/checks`);
      this.checks.replaceChildren(
        note ? el("p.note", {}, note) : "",
        checks.length ? table(["check", "expected", "found", "score"], checks.map((check) => [
          el("code", {}, check.use), expected(check.expected), check.found,
          el(`span.score.${check.score === 1 ? "good" : "poor"}`, {}, check.score === null ? "error" : String(+check.score.toFixed(3))),
        ])) : "",
      );
    } catch (error) {
      this.checks.replaceChildren(el("p.result.error", {}, error.message));
    }
  }

  evidence(files) {
    if (!files.length) return el("p.quiet", {}, "No evidence was collected.");
    return table(["file", "size", "asked for", "read by", "state"], files.map((file) => [
      file.size === null ? file.name : el("a", { href: `/evidence/${this.path}/${file.name.split("/").map(encodeURIComponent).join("/")}`, target: "_blank" }, file.name),
      file.size === null ? "" : size(file.size), file.asked, file.by, file.flaw || STATES[file.state] || file.state,
    ]));
  }

  // The causes that two reviewers tick, kept in the run's failures.csv.
  labels(causes, labels) {
    const ticked = new Set(labels.map(({ reviewer, cause }) => `${reviewer} ${cause}`));
    const box = (reviewer, cause) => el("label", {}, el("input", {
      type: "checkbox", checked: ticked.has(`${reviewer} ${cause}`),
      onchange: async (event) => {
        const { target } = event;
        try {
          await posted(`/api/trials/${this.path}/labels`, { reviewer, cause, on: target.checked });
        } catch (error) {
          target.checked = !target.checked;
          tell(error.message);
        }
      },
    }), cause);
    return el("div", {}, ...[1, 2].map((reviewer) => el("fieldset", {}, el("legend", {}, `Reviewer ${reviewer}`), ...causes.map((cause) => box(reviewer, cause)))),
      el("p.quiet", {}, "Kept in failures.csv in the run's directory, in the form of ambidex report --failures."));
  }
}

function expected(values) {
  return el("ul.plain", {}, ...Object.entries(values).map(([name, value]) => el("li", {}, el("span.quiet", {}, `${name} `), el("code", {}, typeof value === "string" ? value : JSON.stringify(value)))));
}

function table(names, rows) {
  return el("div.scroll", {}, el("table", {}, el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)))))));
}

function size(bytes) {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
