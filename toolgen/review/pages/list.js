// The list of candidates; those that wait for the reviewer come first.
import { dollars, el } from "/pages/dom.js";

export const STATES = {
  yours: "waiting for you", others: "waiting for others", accept: "accepted", revise: "to be revised", reject: "rejected",
  admitted: "admitted", retired: "retired", early: "not up for review", damaged: "cannot be read",
};
export const ORIGINS = {
  task: "from a task", wish: "from a wish", recording: "from recorded runs", server: "from an MCP server", openapi: "from an OpenAPI file",
};

export const chip = (state, text = STATES[state]) => el("span.chip", { "data-review": state }, text);

export class List {
  constructor(place) {
    this.summary = el("p.quiet");
    this.groups = el("div");
    this.shown = "";
    place.append(el("h1", {}, "Candidates"), this.summary, this.groups);
  }

  update({ candidates }) {
    const shown = JSON.stringify(candidates);
    if (shown === this.shown) return;
    this.shown = shown;
    const yours = candidates.filter((candidate) => candidate.state === "yours");
    const count = candidates.length === 1 ? "1 candidate" : `${candidates.length} candidates`;
    const waiting = yours.length === 1 ? "1 is waiting for you" : `${yours.length} are waiting for you`;
    this.summary.textContent = candidates.length ? `${count}, ${waiting}` : "This foundry has no candidates yet.";
    const focused = document.activeElement?.getAttribute("href");
    const rest = candidates.filter((candidate) => candidate.state !== "yours");
    this.groups.replaceChildren(
      yours.length ? el("ul.candidates", { "aria-label": "Waiting for you" }, ...yours.map(entry)) : "",
      rest.length ? el("h2.others", {}, yours.length ? "Other candidates" : "None is waiting for you") : "",
      rest.length ? el("ul.candidates", { "aria-label": "Other candidates" }, ...rest.map(entry)) : "",
    );
    if (focused) this.groups.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

function entry(candidate) {
  const facts = [candidate.name, candidate.app, ORIGINS[candidate.origin], candidate.model && `by ${candidate.model}`, candidate.draft && `draft ${candidate.draft}`, candidate.cost && dollars(candidate.cost.dollars)];
  return el("li", {}, el("a.candidate", { href: `#/candidate/${encodeURIComponent(candidate.name)}`, "data-review": candidate.state },
    el("span.row", {}, el("b.tool", {}, candidate.tool || candidate.name), chip(candidate.state)),
    el("span.wish", {}, candidate.wish || ""),
    candidate.state === "yours" ? "" : el("span.quiet", {}, candidate.text),
    el("span.quiet", {}, facts.filter(Boolean).join(" · "))));
}
