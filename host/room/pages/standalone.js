// The self-contained page of one episode: the desk's replay, without a control room.
import { el } from "./dom.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

const recorded = JSON.parse(document.getElementById("episode").textContent);
const episode = {
  lines: recorded.lines,
  frame: (hash) => recorded.frames[hash],
  screen(index) {
    for (let at = index; at >= 0; at -= 1) if (recorded.lines[at].kind === "step") return recorded.lines[at].after || recorded.lines[at].before;
    return "";
  },
};
const left = el("div.left");
const side = el("aside", {}, el("p.instruction", {}, recorded.start.instruction || ""));
const facts = [recorded.start.agent, recorded.start.condition, recorded.end?.stop, recorded.score ? `score ${recorded.score.value}: ${recorded.score.reason}` : recorded.end?.error];
document.getElementById("main").append(el("div.desk", {}, left, side));
left.append(el("h1", {}, recorded.start.task || "Episode"), el("p.quiet", {}, facts.filter(Boolean).join(" · ")));
const stage = new Stage(left);
const steps = new Steps(side, episode, (index) => timeline.go(index));
const timeline = new Timeline(episode, (index, after) => {
  steps.choose(index);
  stage.show(episode, index, after);
}, (on) => { stage.differ = on; });
left.append(timeline.root);
addEventListener("keydown", (event) => {
  if (!event.target.closest("select") && !event.ctrlKey && !event.altKey && !event.metaKey) timeline.key(event);
});
steps.grew();
timeline.grew();
timeline.go(0);
