// A form made from a tool's schema. Empty fields are omitted from the call.
import { el } from "/pages/dom.js";

export class Fields {
  constructor(tool, send) {
    this.schema = tool.parameters;
    this.fields = Object.entries(tool.parameters.properties || {}).map(([name, about]) => new Field(name, about, this.schema));
    this.problem = el("p.result.error", { role: "alert" });
    this.button = el("button.primary", {}, "Call the tool");
    this.root = el("form.fields", {
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        this.problem.textContent = "";
        try {
          send(Object.fromEntries(this.fields.map((field) => field.value()).filter(Boolean)));
        } catch (error) {
          this.problem.textContent = error.message;
        }
      },
    }, el("h3", {}, el("code", {}, tool.name)), ...this.fields.map((field) => field.root),
    this.fields.length ? "" : el("p.quiet", {}, "The tool takes no arguments."), this.problem, this.button);
  }

  enable(enabled) {
    this.button.disabled = !enabled;
  }
}

class Field {
  constructor(name, about, schema) {
    this.name = name;
    const whole = resolve(about, schema);
    const choices = (whole.anyOf || [whole]).map((choice) => resolve(choice, schema));
    this.kinds = choices.flatMap((choice) => choice.type || []).filter((kind) => kind !== "null");
    const allowed = choices.flatMap((choice) => choice.enum || ("const" in choice ? [choice.const] : []));
    const required = (schema.required || []).includes(name);
    const id = `argument-${name}`;
    const labels = { id, "aria-describedby": `about-${name}` };
    const options = (values) => [["", required ? "choose …" : "(omitted)"], ...values.map((value) => [JSON.stringify(value), String(value)])];
    const select = (values) => el("select", labels, ...options(values).map(([value, text]) => el("option", { value }, text)));
    this.json = false;
    if (allowed.length) [this.input, this.json] = [select(allowed), true];
    else if (this.only("boolean")) [this.input, this.json] = [select([true, false]), true];
    else if (this.only("integer", "number")) this.input = el("input", { ...labels, type: "number", step: this.only("integer") ? "1" : "any" });
    else if (this.only("string")) this.input = el("textarea", { ...labels, rows: "1" });
    else [this.input, this.json] = [el("textarea", { ...labels, rows: "2", placeholder: "JSON" }), true];
    this.number = this.only("integer", "number");
    const fallback = whole.default === undefined || whole.default === null ? "" : `; ${JSON.stringify(whole.default)} if omitted`;
    const kinds = allowed.length ? "one of a list" : this.kinds.join(" or ") || "any JSON";
    this.root = el("div.criterion", {}, el("label", { for: id }, name, required ? "" : el("span.quiet", {}, " optional")),
      el("p.quiet", { id: `about-${name}` }, `${whole.description || ""} (${kinds}${fallback})`.trim()), this.input);
  }

  only(...kinds) {
    return this.kinds.length > 0 && this.kinds.every((kind) => kinds.includes(kind));
  }

  value() {
    const text = this.input.value;
    if (this.input.validity?.badInput) throw new Error(`${this.name} is not a number.`);
    if (text === "") return null;
    if (this.number) return [this.name, Number(text)];
    if (!this.json) return [this.name, text];
    try {
      return [this.name, JSON.parse(text)];
    } catch {
      // A field that also takes text takes this as text.
      if (this.kinds.includes("string") || !this.kinds.length) return [this.name, text];
      throw new Error(`${this.name} is not JSON: ${text}`);
    }
  }
}

function resolve(about, schema) {
  const name = about.$ref?.split("/").pop();
  return name ? { ...schema.$defs?.[name], ...about } : about;
}
