// A frame, with its step's calls drawn over it or with its changes highlighted. Without a screen: the calls and results.
import { callText, el, isGui, shape } from "./dom.js";

async function pixels(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.naturalWidth, picture.naturalHeight);
  const drawing = canvas.getContext("2d", { willReadFrequently: true });
  drawing.drawImage(picture, 0, 0);
  return drawing.getImageData(0, 0, canvas.width, canvas.height);
}

export class Stage {
  constructor(place) {
    this.picture = el("img", { alt: "", decoding: "async" });
    this.canvas = el("canvas", { hidden: true, "aria-hidden": "true" });
    this.marks = shape("svg", { class: "marks", "aria-hidden": "true" });
    this.empty = el("p.quiet", {}, "Nothing to show yet.");
    this.words = el("div.transcript", { hidden: true });
    this.root = el("div.stage", {}, this.empty, this.words, this.picture, this.canvas, this.marks);
    this.picture.hidden = true;
    this.differ = false;
    this.asked = 0;
    place.append(this.root);
  }

  // Show the screen of a line: before it, with its calls marked, or after it.
  async show(episode, index, after) {
    const line = episode.lines[index];
    const asked = ++this.asked;
    this.marks.replaceChildren();
    this.canvas.hidden = true;
    const hash = !line ? "" : line.kind === "step" ? (after && line.after) || line.before : episode.screen(index);
    const words = !hash && line?.kind === "step" ? transcript(line) : [];
    this.words.replaceChildren(...words);
    this.words.hidden = !words.length;
    this.empty.hidden = Boolean(hash) || words.length > 0;
    this.picture.hidden = !hash;
    if (!hash) return;
    this.picture.src = episode.frame(hash);
    this.picture.alt = line.kind === "step" ? `The screen ${after ? "after" : "before"} step ${line.number}` : "The screen";
    await this.picture.decode().catch(() => {});
    if (asked !== this.asked) return;
    const [width, height] = [this.picture.naturalWidth, this.picture.naturalHeight];
    this.marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (line.kind === "step" && !after) this.marks.append(...line.calls.flatMap((call) => marksOf(call, width / 1400)));
    if (line.kind === "step" && after && this.differ && line.after && line.before !== line.after) {
      const [one, two] = await Promise.all([pixels(episode.frame(line.before)), pixels(episode.frame(line.after))]).catch(() => []);
      if (asked === this.asked && one && one.width === two.width && one.height === two.height) this.tint(one, two);
    }
  }

  tint(one, two) {
    const marked = new ImageData(one.width, one.height);
    const [a, b, to] = [new Uint32Array(one.data.buffer), new Uint32Array(two.data.buffer), new Uint32Array(marked.data.buffer)];
    for (let at = 0; at < a.length; at += 1) to[at] = a[at] === b[at] ? 0x90ffffff : 0;
    this.canvas.width = one.width;
    this.canvas.height = one.height;
    this.canvas.getContext("2d").putImageData(marked, 0, 0);
    this.canvas.hidden = false;
  }
}

// What a step did, for an episode without a screen.
function transcript(line) {
  const calls = line.calls.flatMap((call, at) => {
    const { error, text } = line.results[at] || {};
    return [el("code", {}, callText(call)), el(`pre${error ? ".error" : ""}`, {}, error ? `${error}: ${text}` : text || "")];
  });
  const end = line.stop ? [el("p", {}, `ends: ${line.stop}${line.answer ? `, answer ${line.answer}` : ""}`)] : [];
  return [el("p", {}, `Step ${line.number}${line.thought ? `: ${line.thought}` : ""}`), ...calls, ...end];
}

function marksOf(call, unit) {
  const { x, y, to_x: toX, to_y: toY, dx = 0, dy = 0 } = call.arguments;
  if (!isGui(call) || typeof x !== "number" || typeof y !== "number") return [];
  const ring = shape("circle", { cx: x, cy: y, r: 18 * unit, "stroke-width": 4 * unit });
  const dot = shape("circle", { cx: x, cy: y, r: 3 * unit, class: "dot" });
  const scrolled = dx || dy ? [x + Math.sign(dx) * 60 * unit, y + Math.sign(dy) * 60 * unit] : null;
  const end = typeof toX === "number" ? [toX, toY] : scrolled;
  if (!end) return [ring, dot];
  const angle = Math.atan2(end[1] - y, end[0] - x);
  const head = [-2.6, 2.6].map((turn) => `${end[0] + Math.cos(angle + turn) * 20 * unit} ${end[1] + Math.sin(angle + turn) * 20 * unit}`);
  return [ring, dot, shape("path", { d: `M${x} ${y}L${end[0]} ${end[1]}M${head[0]}L${end[0]} ${end[1]}L${head[1]}`, "stroke-width": 4 * unit })];
}
