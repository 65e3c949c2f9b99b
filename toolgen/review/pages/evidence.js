// What each stage found and saw.
import { dollars, el } from "/pages/dom.js";

const FEW = 2;
const OUTCOMES = { passed: "passed", failed: "failed", waiting: "waits", error: "could not be done" };
const pathOf = (name, path) => `/files/${encodeURIComponent(name)}/${path.split("/").map(encodeURIComponent).join("/")}`;

export function took(usage) {
  if (!usage.calls) return "no model was asked";
  const tokens = (usage.input_tokens + usage.output_tokens).toLocaleString("en");
  return `${usage.calls} ${usage.calls === 1 ? "question" : "questions"} to models, ${tokens} tokens, ${dollars(usage.dollars) || "$0"}`;
}

export function stages(name, results) {
  if (!results.length) return el("p.quiet", {}, "No stage has said anything yet.");
  return el("div.stages", {}, ...results.map((result) => stage(name, result)));
}

function stage(name, result) {
  const pictures = result.evidence.filter((each) => each.kind === "picture");
  const others = result.evidence.filter((each) => each.kind !== "picture");
  const open = Boolean(result.findings.length || result.evidence.length);
  const head = [el("b", {}, result.stage), el("span.outcome", { "data-outcome": result.outcome }, OUTCOMES[result.outcome]),
    el("span", {}, result.reason), el("span.quiet", {}, [result.draft && `draft ${result.draft}`, result.usage.calls ? took(result.usage) : ""].filter(Boolean).join(" · "))];
  if (!open) return el("div.stage-result", {}, el("p.head", {}, ...head));
  return el("details.stage-result", { open: true }, el("summary.head", {}, ...head),
    result.findings.length ? findings(result.findings) : "",
    ...others.filter((each) => each.kind === "table").map((each) => piece(name, each)),
    files(name, others.filter((each) => each.kind !== "table")),
    pictures.length ? el("div.pictures", {}, ...pictures.map((each) => picture(name, each))) : "");
}

// What was tried or looked at, and what was found: several rows of one rule stand together.
function findings(all) {
  const rules = Map.groupBy(all, (each) => each.rule);
  const row = ({ line, text, refused }) => el("p", { class: refused ? "refused" : "" },
    refused ? el("b", {}, "refused ") : "", line ? el("span.quiet", {}, `line ${line} `) : "", text);
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Findings" }, el("table.findings", {}, el("tbody", {}, ...[...rules].map(([rule, each]) => el("tr", {},
    el("th", { scope: "row" }, rule), el("td.why", {}, ...each.map(row)))))));
}

// Few are shown as they are; of many only the names.
function files(name, all) {
  const pieces = all.map((each) => piece(name, each));
  return all.length > FEW ? el("details.files", {}, el("summary", {}, `${all.length} files it kept`), ...pieces) : el("div", {}, ...pieces);
}

function picture(name, each) {
  const words = each.name.replaceAll(/[-_]/g, " ");
  const address = pathOf(name, each.path);
  return el("figure", {}, el("a", { href: address, target: "_blank", "aria-label": `${words}, in its own size` }, el("img", { src: address, alt: `The screen: ${words}`, loading: "lazy" })),
    el("figcaption.quiet", {}, words));
}

function piece(name, each) {
  if (each.kind === "file") return el("p", {}, el("a", { href: pathOf(name, each.path), target: "_blank" }, each.path), el("span.quiet", {}, ` ${each.bytes.toLocaleString("en")} bytes`));
  const title = el("h4", { title: each.path }, each.name.replaceAll(/[-_]/g, " "));
  if (each.kind === "missing") return el("p.quiet", {}, `${each.path} is not there any more.`);
  const more = each.more ? el("p", {}, el("a", { href: pathOf(name, each.path), target: "_blank" }, "All of it")) : "";
  if (each.kind === "text") return el("div", {}, title, el("pre.text", { tabindex: "0", role: "region", "aria-label": each.name }, each.text), more);
  return el("div", {}, title, el("div.scroll", { tabindex: "0", role: "region", "aria-label": each.name }, el("table", {},
    el("thead", {}, el("tr", {}, ...each.columns.map((column) => el("th", { scope: "col" }, column)))),
    el("tbody", {}, ...each.rows.map((row) => el("tr", {}, ...row.map(cell)))))), more);
}

function cell(value) {
  if (value === true) return el("td.good", {}, "✓ yes");
  if (value === false) return el("td.poor", {}, "✗ no");
  if (typeof value === "number") return el("td.number", {}, String(value));
  const text = value ?? "";
  return /^[[{]/.test(text) ? el("td.json", {}, el("code", {}, text)) : el("td.why", {}, text);
}
