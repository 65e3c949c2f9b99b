// The requests to a trial's models and their answers, as sent, with a search through all of them.
import { dollars, el, fetched, seconds } from "./dom.js";

const OPENED = 10; // matches that a search opens
const number = (value) => (value ?? 0).toLocaleString("en-US");

export class Transcript {
  constructor(path) {
    this.path = path;
    this.search = el("input.search", { type: "search", placeholder: "Search the transcript", "aria-label": "Search the transcript", oninput: () => this.filter() });
    this.count = el("span.quiet", { role: "status" });
    this.total = el("p.quiet");
    this.notes = el("div");
    this.list = el("div.exchanges");
    this.root = el("section.sheet", {}, el("div.controls", {}, this.search, this.count, el("button", { onclick: () => this.load() }, "Reload")), this.total, this.notes, this.list);
  }

  // Load the transcript the first time it is looked at, and show the requests of a step.
  async open(step) {
    if (!this.loaded) {
      this.loaded = true;
      await this.load();
    }
    this.goTo(step);
  }

  goTo(step) {
    const item = this.items?.find((each) => each.exchange.step === step);
    if (!item) return;
    item.root.open = true;
    item.root.scrollIntoView({ block: "start" });
  }

  async load() {
    this.count.textContent = "Loading …";
    try {
      const { exchanges, parts, notes, settings } = await fetched(`/api/trials/${this.path}/transcript`);
      let before = null;
      this.items = exchanges.map((exchange) => {
        const item = new Item(this.path, exchange, before, parts, settings);
        before = exchange;
        return item;
      });
      this.notes.replaceChildren(...notes.map((note) => el("p.note", {}, note)));
      this.list.replaceChildren(...this.items.map((item) => item.root));
      this.total.textContent = exchanges.length ? totals(exchanges, settings) : "No model was asked: this agent decides without one.";
      this.count.textContent = "";
      this.filter();
    } catch (error) {
      this.count.textContent = error.message;
    }
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    const found = (this.items || []).filter((item) => item.matches(wanted));
    found.forEach((item, at) => item.mark(wanted, wanted && at < OPENED));
    this.count.textContent = wanted ? `${found.length} of ${this.items.length} requests match` : "";
  }
}

class Item {
  constructor(path, exchange, before, parts, settings) {
    Object.assign(this, { path, exchange, parts, settings, wanted: "" });
    // A request repeats the conversation: what is new in it is what the previous one did not have.
    const known = new Set(before?.request ? indices(before.request) : []);
    this.fresh = exchange.request ? indices(exchange.request).filter((at) => !known.has(at)) : [];
    this.answers = indices(exchange.answer);
    this.body = el("div");
    this.root = el("details.exchange", { ontoggle: () => this.draw() }, el("summary", {}, el("strong", {}, `Step ${exchange.step}`), " ", el("span.quiet", {}, facts(exchange))), this.body);
  }

  matches(wanted) {
    this.text ||= [...this.fresh, ...this.answers].map((at) => JSON.stringify(this.parts[at])).join("\n").toLowerCase();
    const found = !wanted || this.text.includes(wanted);
    this.root.hidden = !found;
    return found;
  }

  mark(wanted, open) {
    this.wanted = wanted;
    if (open) this.root.open = true;
    this.draw();
  }

  draw() {
    if (!this.root.open) {
      this.body.replaceChildren();
      return;
    }
    const { request, answer, malformed } = this.exchange;
    const whole = el("details", { ontoggle: () => { if (whole.open) whole.lastChild.textContent = this.json(request); } }, el("summary", {}, "The whole request as JSON"), el("pre"));
    const settings = Object.entries(this.settings).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join("×") : value}`).join(" · ");
    this.body.replaceChildren(
      el("h3", {}, "Request: what is new in it"),
      ...(request ? [...this.fresh.map((at) => this.view(this.parts[at])), el("p.quiet", {}, `sent with: ${settings}`), whole] : [el("p.quiet", {}, "The request was not kept.")]),
      el("h3", {}, "Answer"),
      ...(malformed ? [el("p.result.error", {}, `It could not be read: ${malformed}`)] : []),
      el("pre.answer", {}, ...this.marked(this.json(answer))),
    );
  }

  // A request or answer as one value; pictures by their address.
  json(body) {
    const plain = Object.fromEntries(Object.entries(body).map(([key, at]) => [key, Array.isArray(at) ? at.map((one) => this.parts[one]) : this.parts[at]]));
    return JSON.stringify(plain, (_, value) => (value?.$image ? new URL(this.picture(value.$image), location.href).href : value), 2);
  }

  picture(name) {
    return `/api/trials/${this.path}/sent/${name}`;
  }

  // A message, a tool or another value of a request.
  view(part) {
    if (typeof part !== "object" || part === null) return el("pre", {}, ...this.marked(String(part)));
    const name = part.role || (part.function?.name ? `tool ${part.function.name}` : part.name ? `tool ${part.name}` : part.type || "");
    if (name.startsWith("tool ") && !part.role) return el("details.part", {}, el("summary", {}, name), el("pre", {}, ...this.marked(JSON.stringify(part, null, 2))));
    const content = part.content ?? part.output ?? part.text;
    const items = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
    const { role, content: _, tool_calls: calls, tool_call_id: call, ...rest } = part;
    return el("div.part", {}, el("span.chip", {}, call ? `${name}, result of ${call}` : name || "value"), ...items.flatMap((item) => this.item(item)),
      ...(calls || []).map((made) => el("code", {}, ...this.marked(`${made.id}: ${made.function?.name} ${made.function?.arguments}`))),
      ...(Object.keys(rest).length ? [el("pre.quiet", {}, ...this.marked(JSON.stringify(rest, null, 1)))] : []));
  }

  item(item) {
    if (typeof item === "string") return [el("pre", {}, ...this.marked(item))];
    if (Array.isArray(item?.content)) return [el("span.chip", {}, item.type || "value"), ...item.content.flatMap((inner) => this.item(inner))];
    const image = imageIn(item);
    if (image) return [el("img.sent", { src: this.picture(image), alt: "a picture in the request", loading: "lazy" })];
    return [el("pre", {}, ...this.marked(typeof item?.text === "string" ? item.text : JSON.stringify(item, null, 1)))];
  }

  // A text with the words that are searched for marked.
  marked(text) {
    if (!this.wanted) return [text];
    const made = [];
    const low = text.toLowerCase();
    let from = 0;
    for (let at = low.indexOf(this.wanted); at >= 0; at = low.indexOf(this.wanted, from)) {
      made.push(text.slice(from, at), el("mark", {}, text.slice(at, at + this.wanted.length)));
      from = at + this.wanted.length;
    }
    return [...made, text.slice(from)];
  }
}

const indices = (body) => Object.values(body).flat();

function imageIn(value) {
  if (typeof value !== "object" || value === null) return "";
  if (value.$image) return value.$image;
  return Object.values(value).map(imageIn).find(Boolean) || "";
}

function facts({ model, usage, seconds: took }) {
  return [
    model, `${number(usage.input_tokens)} tokens in`, usage.cached_tokens ? `${number(usage.cached_tokens)} of them cached` : "",
    `${number(usage.output_tokens)} out`, usage.reasoning_tokens ? `${number(usage.reasoning_tokens)} of them reasoning` : "",
    dollars(usage.cost), seconds(took), usage.retries ? `sent again ${usage.retries === 1 ? "once" : `${usage.retries} times`}` : "",
  ].filter(Boolean).join(" · ");
}

function totals(exchanges, settings) {
  const sum = (name) => exchanges.reduce((total, { usage }) => total + (usage[name] || 0), 0);
  const unknown = exchanges.some(({ usage }) => usage.cost === null);
  return [
    `${exchanges.length} requests to ${settings.name || exchanges[0].model}`, `${number(sum("input_tokens"))} tokens in, ${number(sum("cached_tokens"))} of them cached`,
    `${number(sum("output_tokens"))} out`, unknown ? "cost unknown" : dollars(sum("cost")),
    `${seconds(exchanges.reduce((total, { seconds: took }) => total + took, 0))} waiting`, `${sum("retries")} sent again`,
  ].filter(Boolean).join(" · ");
}
