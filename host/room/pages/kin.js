// Trials that went on from one another's steps.
import { trialPath } from "./dom.js";

// The paths of those trials that have relatives.
export function related(state) {
  const found = new Set();
  const trials = [...state.live, ...state.runs.flatMap((run) => run.rows.map((row) => ({ ...row, run: run.run })))];
  for (const { run, trial, parent } of trials) {
    if (!parent) continue;
    found.add(trialPath(run, trial));
    found.add(trialPath(parent.run, parent.trial));
  }
  return found;
}

// The first step that two lanes of a tree do not have in common; 0 where they are one.
export function partingStep(lanes, one, other) {
  const way = (at) => (at === null ? [] : [...way(lanes[at].on), at]);
  const [ours, theirs] = [way(one), way(other)];
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const steps = [ours[at], theirs[at]].filter((lane) => lane !== undefined).map((lane) => lanes[lane].step);
  return steps.length ? Math.min(...steps) : 0;
}
