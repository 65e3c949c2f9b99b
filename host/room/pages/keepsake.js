// The self-contained page of one episode: the desk's replay, without a control room.
import { el } from "./dom.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";

const episode = JSON.parse(document.getElementById("episode").textContent);
const reel = {
  lines: episode.lines,
  frame: (hash) => episode.frames[hash],
  screen(index) {
    for (let at = index; at >= 0; at -= 1) if (episode.lines[at].kind === "step") return episode.lines[at].after || episode.lines[at].before;
    return "";
  },
};
const left = el("div.left");
const side = el("aside", {}, el("p.instruction", {}, episode.start.instruction || ""));
const facts = [episode.start.agent, episode.start.condition, episode.end?.stop, episode.score ? `score ${episode.score.value}: ${episode.score.reason}` : episode.end?.error];
document.getElementById("main").append(el("div.desk", {}, left, side));
left.append(el("h1", {}, episode.start.task || "Episode"), el("p.quiet", {}, facts.filter(Boolean).join(" · ")));
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
