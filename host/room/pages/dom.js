// Helpers for creating elements, formatting values and talking to the server.

// el("a.big", {href: "#/"}, "text", child): a tag with classes, attributes, on* listeners, children.
export function el(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag || "div");
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// The same for SVG: shape("circle", {r: 3}, child).
export function shape(kind, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(value % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function dollars(value) {
  if (value === null || value === undefined) return "cost unknown";
  return value ? `$${value < 0.1 ? value.toFixed(4) : value.toFixed(2)}` : "";
}

export function shortArgument(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

// A call as one line of text.
export function callText(call) {
  const parts = Object.entries(call.arguments).map(([name, value]) => `${name}=${shortArgument(value)}`);
  return `${call.name}(${parts.join(", ")})`;
}

export const isGui = (call) => call.name.startsWith("computer_");

let timer = 0;
// Show a message for a few seconds.
export function tell(message) {
  const place = document.getElementById("said");
  place.textContent = message;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), 6000);
}

// The JSON or text at an address; throws an Error with the server's message.
export async function fetched(address, options = {}) {
  const answer = await fetch(address, options);
  const type = answer.headers.get("content-type") || "";
  const body = type.includes("json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(body.error || body || `${answer.status}`);
  return body;
}

// POST a JSON body; answers and errors as `fetched`.
export const posted = (address, body) => fetched(address, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
});

// A drop-down list of [value, text], and a field with its name.
export const chooser = (name, options) => el("select", { name }, ...options.map(([value, text]) => el("option", { value }, text)));
export const field = (name, input) => el("label", {}, el("span", {}, name), input);

// The id of this page: kept across reloads, different in every tab.
export const viewer = (() => {
  let name = sessionStorage.getItem("viewer");
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem("viewer", name);
  }
  return name;
})();

export const trialPath = (run, trial) => `${encodeURIComponent(run)}/${encodeURIComponent(trial)}`;
