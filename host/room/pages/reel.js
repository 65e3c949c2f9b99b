// A trial's lines, fetched as they come.
import { fetched, trialPath } from "./dom.js";

export class Reel {
  constructor(run, trial) {
    this.path = trialPath(run, trial);
    this.lines = [];
    this.start = {};
    this.end = null;
    this.state = "";
    this.fetching = null;
    this.id = "";
    this.kept = new Set(); // steps that one can go on from
    this.again = 0; // how often a new attempt has begun in its place
  }

  // The lines that were new.
  async more() {
    if (!this.fetching) this.fetching = this.fetchMore().finally(() => { this.fetching = null; });
    return this.fetching;
  }

  async fetchMore() {
    let said = await fetched(`/api/trials/${this.path}?after=${this.lines.length}`);
    if (this.id && said.id !== this.id) {
      this.lines.length = 0;
      this.again += 1;
      said = await fetched(`/api/trials/${this.path}?after=0`);
    }
    this.id = said.id;
    this.start = said.start;
    this.end = said.end;
    this.kept = new Set(said.kept);
    this.state = said.state;
    this.lines.push(...said.lines);
    return said.lines;
  }

  frame(hash, width = 0) {
    return `/frames/${this.path}/${hash}.png${width ? `?width=${width}` : ""}`;
  }

  // The hash of the screen after a line, or before it where there is none after.
  screen(index) {
    for (let at = index; at >= 0; at -= 1) {
      const line = this.lines[at];
      if (line?.kind === "step") return (at === index && line.after) || line.after || line.before;
    }
    return "";
  }
}
