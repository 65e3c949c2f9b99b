// One candidate: its description, code, stage results and verdicts.
import { callText, el, fetched, tell } from "/pages/dom.js";
import { code, diff, views } from "./code.js";
import { stages, usageText } from "./evidence.js";
import { chip, ORIGINS } from "./list.js";
import { Try } from "./try.js";
import { Verdict } from "./verdict.js";

export class Card {
  constructor(place, name, reviewer) {
    this.name = name;
    this.reviewer = reviewer;
    this.version = "";
    this.left = el("div.left");
    this.aside = el("aside", { "aria-label": "Verdict" });
    this.root = el("div.review", {}, this.left, this.aside);
    place.append(this.root);
  }

  close() {
    this.closed = true;
    this.try?.close();
  }

  // Load the card again when the candidate's state or draft has changed.
  update({ candidates }) {
    const entry = candidates.find((candidate) => candidate.name === this.name);
    if (!entry) {
      this.left.replaceChildren(el("p", {}, `This foundry has no candidate ${this.name}.`));
      return;
    }
    const version = `${entry.state} ${entry.text} ${entry.draft}`;
    if (version === this.version) return;
    if (this.draft && entry.draft !== this.draft) tell("There is a new draft. Verdicts on earlier drafts are void.");
    this.version = version;
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
    this.try?.show(card);
    const facts = [card.app, ORIGINS[card.origin], `by ${card.model}`, now && `draft ${now.n}`, usageText(card.cost)];
    this.left.replaceChildren(...[
      el("div.row", {}, el("h1", {}, card.tool || card.name), chip(card.state),
        el("button.narrow", { onclick: () => this.aside.scrollIntoView() }, card.state === "yours" ? "Go to your verdict" : "Go to the verdicts")),
      el("p.wish", {}, card.wish),
      el("p.quiet", {}, facts.filter(Boolean).join(" · ")),
      el("p.quiet", {}, [card.task && `Task ${card.task}`, card.source && `Source ${card.source}`].filter(Boolean).join(" · ")),
      card.state === "yours" ? null : el("p.standing", {}, card.text),
      now?.signature ? section("What a model sees", signatureCard(now.signature)) : null,
      this.try?.root,
      now ? section("Code", this.code(card)) : null,
      section("Stage results", stages(card.name, card.stages)),
      card.examples.length ? section("Recorded examples", ...card.examples.map((calls) => el("pre.text", { tabindex: "0" }, calls.join("\n")))) : null,
      card.nearest?.length ? section("Most similar tools", nearest(card.nearest)) : null,
    ].filter(Boolean));
    new Verdict(this.aside, card, this.reviewer, () => { this.load(); });
  }

  code({ now, drafts }) {
    const earlier = drafts.filter((draft) => draft.n !== now.n).reverse();
    const origin = (draft) => (draft.from ? ` (${draft.from})` : "");
    return views("Text to show", [
      ["Tool", () => code(now.tool, "Code of the tool")],
      ["Tests", () => code(now.test, "Code of the tests")],
      ...(now.calls.length ? [["Calls", () => el("pre.text", { tabindex: "0" }, now.calls.map(callLine).join("\n"))]] : []),
      ...earlier.map((draft) => [`Since draft ${draft.n}${origin(draft)}`, () => el("div", {},
        el("h4", {}, "tool.py"), diff(draft.tool, `Changes to the tool since draft ${draft.n}`),
        el("h4", {}, "test_tool.py"), diff(draft.test, `Changes to the tests since draft ${draft.n}`))]),
    ]);
  }
}

const callLine = (call) => callText({ name: call.call, arguments: call.with || {} });

function section(title, ...content) {
  return el("section", { "aria-label": title }, el("h2", {}, title), ...content);
}

function signatureCard(signature) {
  const rows = signature.arguments.map((argument) => el("tr", {},
    el("th", { scope: "row" }, el("code", {}, argument.name)),
    el("td", {}, el("code", {}, argument.type)),
    el("td", {}, argument.default ? el("code", {}, argument.default) : "required"),
    el("td.why", {}, argument.description)));
  const short = signature.arguments.map((argument) => (argument.default ? `${argument.name}=…` : argument.name)).join(", ");
  return el("div.signature-card", {},
    el("p.signature", {}, el("code", {}, el("b", {}, signature.name), `(${short}) → ${signature.returns || "?"}`), signature.reads_only ? el("span.chip", {}, "reads only") : ""),
    ...(signature.description || "No docstring.").split(/\n\s*\n/).map((part) => el("p.docstring", {}, part)),
    rows.length ? el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Arguments" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["argument", "type", "default", "description"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows))) : "");
}

const percent = (part) => `${Math.round(100 * part)} %`;

function nearest(tools) {
  return el("ul.nearest", {}, ...tools.map((tool) => el("li", {},
    el("meter", { min: "0", max: "1", value: String(Math.max(tool.words, tool.deed)), "aria-label": "similarity" }),
    el("span", {}, el("code", {}, tool.name), " ", el("span.quiet", {}, `${percent(tool.words)} by its words, ${percent(tool.deed)} by its behaviour`)),
    el("span.quiet", {}, tool.description.replaceAll(/\s+/g, " ").split(/(?<=\.) /)[0]))));
}
