// An episode in a file of its own: what the desk shows, without a control room behind it.
import { el } from "./dom.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

const kept = JSON.parse(document.getElementById("episode").textContent);
const reel = {
  lines: kept.lines,
  frame: (hash) => kept.frames[hash],
  screen(index) {
    for (let at = index; at >= 0; at -= 1) if (kept.lines[at].kind === "step") return kept.lines[at].after || kept.lines[at].before;
    return "";
  },
};
const left = el("div.left");
const side = el("aside", {}, el("p.instruction", {}, kept.start.instruction || ""));
const facts = [kept.start.agent, kept.start.condition, kept.end?.stop, kept.score ? `score ${kept.score.value}: ${kept.score.reason}` : kept.end?.error];
document.getElementById("main").append(el("div.desk", {}, left, side));
left.append(el("h1", {}, kept.start.task || "Episode"), el("p.quiet", {}, facts.filter(Boolean).join(" · ")));
const stage = new Stage(left);
const steps = new Steps(side, reel, (index) => timeline.go(index));
const timeline = new Timeline(reel, (index, after) => {
  steps.choose(index);
  stage.show(reel, index, after);
}, (on) => { stage.differ = on; });
left.append(timeline.root);
addEventListener("keydown", (event) => {
  if (!event.target.closest("select") && !event.ctrlKey && !event.altKey && !event.metaKey) timeline.key(event);
});
steps.grew();
timeline.grew();
timeline.go(0);
