// The results and the evidence of the stages.
import { dollars, el } from "/pages/dom.js";

const MAX_OPEN_FILES = 2;
const OUTCOMES = { passed: "passed", failed: "failed", waiting: "waiting", error: "error" };
const pathOf = (name, path) => `/files/${encodeURIComponent(name)}/${path.split("/").map(encodeURIComponent).join("/")}`;

export function usageText(usage) {
  if (!usage.calls) return "no model calls";
  const tokens = (usage.input_tokens + usage.output_tokens).toLocaleString("en");
  return `${usage.calls} model ${usage.calls === 1 ? "call" : "calls"}, ${tokens} tokens, ${dollars(usage.dollars) || "$0"}`;
}

export function stages(name, results) {
  if (!results.length) return el("p.quiet", {}, "No stage has run yet.");
  return el("div.stages", {}, ...results.map((result) => stage(name, result)));
}

function stage(name, result) {
  const pictures = result.evidence.filter((file) => file.kind === "picture");
  const others = result.evidence.filter((file) => file.kind !== "picture");
  const open = Boolean(result.findings.length || result.evidence.length);
  const head = [el("b", {}, result.stage), el("span.outcome", { "data-outcome": result.outcome }, OUTCOMES[result.outcome]),
    el("span", {}, result.reason), el("span.quiet", {}, [result.draft && `draft ${result.draft}`, result.usage.calls ? usageText(result.usage) : ""].filter(Boolean).join(" · "))];
  if (!open) return el("div.stage-result", {}, el("p.head", {}, ...head));
  return el("details.stage-result", { open: true }, el("summary.head", {}, ...head),
    result.findings.length ? findings(result.findings) : "",
    ...others.filter((file) => file.kind === "table").map((file) => filePreview(name, file)),
    files(name, others.filter((file) => file.kind !== "table")),
    pictures.length ? el("div.pictures", {}, ...pictures.map((file) => picture(name, file))) : "");
}

// The findings, grouped by rule.
function findings(all) {
  const rules = Map.groupBy(all, (finding) => finding.rule);
  const row = ({ line, text, refused }) => el("p", { class: refused ? "refused" : "" },
    refused ? el("b", {}, "refused ") : "", line ? el("span.quiet", {}, `line ${line} `) : "", text);
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Findings" }, el("table.findings", {}, el("tbody", {}, ...[...rules].map(([rule, ofRule]) => el("tr", {},
    el("th", { scope: "row" }, rule), el("td.why", {}, ...ofRule.map(row)))))));
}

// A few files are shown at once; more are folded away.
function files(name, all) {
  const pieces = all.map((file) => filePreview(name, file));
  return all.length > MAX_OPEN_FILES ? el("details.files", {}, el("summary", {}, `${all.length} files`), ...pieces) : el("div", {}, ...pieces);
}

function picture(name, file) {
  const words = file.name.replaceAll(/[-_]/g, " ");
  const address = pathOf(name, file.path);
  return el("figure", {}, el("a", { href: address, target: "_blank", "aria-label": `${words}, full size` }, el("img", { src: address, alt: `Screen: ${words}`, loading: "lazy" })),
    el("figcaption.quiet", {}, words));
}

function filePreview(name, file) {
  if (file.kind === "file") return el("p", {}, el("a", { href: pathOf(name, file.path), target: "_blank" }, file.path), el("span.quiet", {}, ` ${file.bytes.toLocaleString("en")} bytes`));
  const title = el("h4", { title: file.path }, file.name.replaceAll(/[-_]/g, " "));
  if (file.kind === "missing") return el("p.quiet", {}, `${file.path} no longer exists.`);
  const more = file.more ? el("p", {}, el("a", { href: pathOf(name, file.path), target: "_blank" }, "Show all")) : "";
  if (file.kind === "text") return el("div", {}, title, el("pre.text", { tabindex: "0", role: "region", "aria-label": file.name }, file.text), more);
  return el("div", {}, title, el("div.scroll", { tabindex: "0", role: "region", "aria-label": file.name }, el("table", {},
    el("thead", {}, el("tr", {}, ...file.columns.map((column) => el("th", { scope: "col" }, column)))),
    el("tbody", {}, ...file.rows.map((row) => el("tr", {}, ...row.map(cell)))))), more);
}

function cell(value) {
  if (value === true) return el("td.good", {}, "✓ yes");
  if (value === false) return el("td.poor", {}, "✗ no");
  if (typeof value === "number") return el("td.number", {}, String(value));
  const text = value ?? "";
  return /^[[{]/.test(text) ? el("td.json", {}, el("code", {}, text)) : el("td.why", {}, text);
}
