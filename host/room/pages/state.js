// The state of the runs as the server tells it: each event has only what has changed.

// What a search looks through: the words of a trial's line.
function words(run, row) {
  return [run, row.task, row.trial, row.agent, row.fate, row.stop, row.reason].filter(Boolean).join(" ").toLowerCase();
}

// The state after an event. `runs` have all their `rows`; `rowsVersion` grows with any change of them.
export function apply(before, event) {
  const runs = new Map((before?.runs || []).map((run) => [run.run, run]));
  for (const name of event.gone) runs.delete(name);
  for (const { reset, rows: changed, ...head } of event.runs) {
    const rows = (!reset && runs.get(head.run)?.rows) || [];
    for (const [at, row] of Object.entries(changed)) {
      row.words = words(head.run, row);
      rows[at] = row;
    }
    runs.set(head.run, { ...head, rows });
  }
  const changed = event.runs.length || event.gone.length;
  return {
    live: event.live, forks: event.forks, started: event.started, runs: [...runs.values()],
    version: (before?.version || 0) + (changed ? 1 : 0),
  };
}

// The parts of the state that a trial needs a person for: running trials with an alarm.
export const needing = (state) => state.live.filter((trial) => trial.alarms.length);

// How a trial ended, as the filter names it.
export function outcome(row) {
  if (row.fate === "scored") return row.solved ? "solved" : "not solved";
  return row.fate === "bug" ? "error" : row.fate;
}
