// Relations between trials of one tree.
import { trialPath } from "./dom.js";

// The paths of the trials that are in a tree with others.
export function trialsInTrees(state) {
  const paths = new Set();
  const trials = [...state.live, ...state.runs.flatMap((run) => run.rows.map((row) => ({ ...row, run: run.run })))];
  for (const { run, trial, parent } of trials) {
    if (!parent) continue;
    paths.add(trialPath(run, trial));
    paths.add(trialPath(parent.run, parent.trial));
  }
  return paths;
}

// The first step that two lanes of a tree do not share; 0 if they are the same lane.
export function divergingStep(lanes, one, other) {
  const way = (at) => (at === null ? [] : [...way(lanes[at].on), at]);
  const [ours, theirs] = [way(one), way(other)];
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const steps = [ours[at], theirs[at]].filter((lane) => lane !== undefined).map((lane) => lanes[lane].step);
  return steps.length ? Math.min(...steps) : 0;
}
