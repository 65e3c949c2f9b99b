// The lines of a trial, fetched incrementally.
import { fetched, trialPath } from "./dom.js";

export class Episode {
  constructor(run, trial) {
    this.path = trialPath(run, trial);
    this.lines = [];
    this.start = {};
    this.end = null;
    this.state = "";
    this.fetching = null;
    this.id = "";
    this.kept = new Set(); // steps that can be forked
    this.attempts = []; // directories of earlier attempts
    this.again = 0; // how often a new attempt has replaced the trial
  }

  // Fetch and return the new lines.
  async more() {
    if (!this.fetching) this.fetching = this.fetchMore().finally(() => { this.fetching = null; });
    return this.fetching;
  }

  async fetchMore() {
    let answer = await fetched(`/api/trials/${this.path}?after=${this.lines.length}`);
    if (this.id && answer.id !== this.id) {
      this.lines.length = 0;
      this.again += 1;
      answer = await fetched(`/api/trials/${this.path}?after=0`);
    }
    this.id = answer.id;
    this.start = answer.start;
    this.end = answer.end;
    this.kept = new Set(answer.kept);
    this.state = answer.state;
    this.attempts = answer.attempts || [];
    this.lines.push(...answer.lines);
    return answer.lines;
  }

  frame(hash, width = 0) {
    return `/frames/${this.path}/${hash}.png${width ? `?width=${width}` : ""}`;
  }

  // The hash of the screen after a line, or before it if there is none after it.
  screen(index) {
    for (let at = index; at >= 0; at -= 1) {
      const line = this.lines[at];
      if (line?.kind === "step") return (at === index && line.after) || line.after || line.before;
    }
    return "";
  }
}
