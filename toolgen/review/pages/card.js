// One candidate: what it is, what stages found, and what reviewers say.
import { callText, el, fetched, tell } from "/pages/dom.js";
import { code, diff, views } from "./code.js";
import { stages, took } from "./evidence.js";
import { chip, ORIGINS } from "./list.js";
import { Try } from "./try.js";
import { Verdict } from "./verdict.js";

export class Card {
  constructor(place, name, reviewer) {
    this.name = name;
    this.reviewer = reviewer;
    this.known = "";
    this.left = el("div.left");
    this.aside = el("aside", { "aria-label": "Verdict" });
    this.root = el("div.review", {}, this.left, this.aside);
    place.append(this.root);
  }

  close() {
    this.closed = true;
    this.try?.close();
  }

  // Asked for again when its draft or what it waits for has changed.
  update({ candidates }) {
    const entry = candidates.find((each) => each.name === this.name);
    if (!entry) {
      this.left.replaceChildren(el("p", {}, `There is no candidate ${this.name} in this foundry.`));
      return;
    }
    const known = `${entry.state} ${entry.text} ${entry.draft}`;
    if (known === this.known) return;
    if (this.draft && entry.draft !== this.draft) tell("There is a new draft: verdicts on the earlier one are void.");
    this.known = known;
    this.draft = entry.draft;
    this.load();
  }

  async load() {
    try {
      const card = await fetched(`/api/candidates/${encodeURIComponent(this.name)}`);
      if (!this.closed) this.show(card);
    } catch (error) {
      this.left.replaceChildren(el("p.result.error", {}, error.message));
    }
  }

  show(card) {
    const { now } = card;
    this.try ||= now ? new Try(card) : null;
    this.try?.about(card);
    const facts = [card.app, ORIGINS[card.origin], `by ${card.model}`, now && `draft ${now.n}`, took(card.cost)];
    this.left.replaceChildren(...[
      el("div.row", {}, el("h1", {}, card.tool || card.name), chip(card.state),
        el("button.narrow", { onclick: () => this.aside.scrollIntoView() }, card.state === "yours" ? "To your verdict" : "To what was said")),
      el("p.wish", {}, card.wish),
      el("p.quiet", {}, facts.filter(Boolean).join(" · ")),
      el("p.quiet", {}, [card.task && `Task ${card.task}`, card.source && `Source ${card.source}`].filter(Boolean).join(" · ")),
      card.state === "yours" ? null : el("p.standing", {}, card.text),
      now?.signature ? section("What a model is told", told(now.signature)) : null,
      this.try?.root,
      now ? section("Code", this.code(card)) : null,
      section("What the stages found", stages(card.name, card.stages)),
      card.examples.length ? section("Where it was done by hand", ...card.examples.map((calls) => el("pre.text", { tabindex: "0" }, calls.join("\n")))) : null,
      card.nearest?.length ? section("The nearest tools there are", nearest(card.nearest)) : null,
    ].filter(Boolean));
    new Verdict(this.aside, card, this.reviewer, () => { this.load(); });
  }

  code({ now, drafts }) {
    const earlier = drafts.filter((each) => each.n !== now.n).reverse();
    const from = (each) => (each.from ? ` (${each.from})` : "");
    return views("Which text", [
      ["Tool", () => code(now.tool, "Code of the tool")],
      ["Tests", () => code(now.test, "Code of its tests")],
      ...(now.calls.length ? [["Calls", () => el("pre.text", { tabindex: "0" }, now.calls.map(callLine).join("\n"))]] : []),
      ...earlier.map((each) => [`Since draft ${each.n}${from(each)}`, () => el("div", {},
        el("h4", {}, "tool.py"), diff(each.tool, `What changed in the tool since draft ${each.n}`),
        el("h4", {}, "test_tool.py"), diff(each.test, `What changed in its tests since draft ${each.n}`))]),
    ]);
  }
}

const callLine = (each) => callText({ name: each.call, arguments: each.with || {} });

function section(title, ...content) {
  return el("section", { "aria-label": title }, el("h2", {}, title), ...content);
}

function told(signature) {
  const rows = signature.arguments.map((each) => el("tr", {},
    el("th", { scope: "row" }, el("code", {}, each.name)),
    el("td", {}, el("code", {}, each.type)),
    el("td", {}, each.default ? el("code", {}, each.default) : "required"),
    el("td.why", {}, each.description)));
  const short = signature.arguments.map((each) => (each.default ? `${each.name}=…` : each.name)).join(", ");
  return el("div.told", {},
    el("p.signature", {}, el("code", {}, el("b", {}, signature.name), `(${short}) → ${signature.returns || "?"}`), signature.reads_only ? el("span.chip", {}, "reads only") : ""),
    ...(signature.description || "It has no docstring.").split(/\n\s*\n/).map((part) => el("p.docstring", {}, part)),
    rows.length ? el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Arguments" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["argument", "type", "default", "description"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows))) : "");
}

const percent = (part) => `${Math.round(100 * part)} %`;

function nearest(tools) {
  return el("ul.nearest", {}, ...tools.map((each) => el("li", {},
    el("meter", { min: "0", max: "1", value: String(Math.max(each.words, each.deed)), "aria-label": "alike" }),
    el("span", {}, el("code", {}, each.name), " ", el("span.quiet", {}, `${percent(each.words)} by its words, ${percent(each.deed)} by what it does`)),
    el("span.quiet", {}, each.description.replaceAll(/\s+/g, " ").split(/(?<=\.) /)[0]))));
}
