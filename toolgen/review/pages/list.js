// All candidates, those first that wait for whoever looks.
import { dollars, el } from "/pages/dom.js";

export const STATES = {
  yours: "waits for you", others: "waits for others", accept: "accepted", revise: "to be revised", reject: "rejected",
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
    this.said = "";
    place.append(el("h1", {}, "Candidates"), this.summary, this.groups);
  }

  update({ candidates }) {
    const said = JSON.stringify(candidates);
    if (said === this.said) return;
    this.said = said;
    const yours = candidates.filter((each) => each.state === "yours");
    const many = candidates.length === 1 ? "1 candidate" : `${candidates.length} candidates`;
    const wait = yours.length === 1 ? "1 waits for you" : `${yours.length} wait for you`;
    this.summary.textContent = candidates.length ? `${many}, ${wait}` : "There are no candidates in this foundry yet.";
    const focused = document.activeElement?.getAttribute("href");
    const rest = candidates.filter((each) => each.state !== "yours");
    this.groups.replaceChildren(
      yours.length ? el("ul.candidates", { "aria-label": "Waiting for you" }, ...yours.map(entry)) : "",
      rest.length ? el("h2.others", {}, yours.length ? "The others" : "None waits for you") : "",
      rest.length ? el("ul.candidates", { "aria-label": "The others" }, ...rest.map(entry)) : "",
    );
    if (focused) this.groups.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

function entry(each) {
  const facts = [each.name, each.app, ORIGINS[each.origin], each.model && `by ${each.model}`, each.draft && `draft ${each.draft}`, each.cost && dollars(each.cost.dollars)];
  return el("li", {}, el("a.candidate", { href: `#/candidate/${encodeURIComponent(each.name)}`, "data-review": each.state },
    el("span.row", {}, el("b.tool", {}, each.tool || each.name), chip(each.state)),
    el("span.wish", {}, each.wish || ""),
    each.state === "yours" ? "" : el("span.quiet", {}, each.text),
    el("span.quiet", {}, facts.filter(Boolean).join(" · "))));
}
