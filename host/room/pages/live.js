// The screen of a machine as it is now, through the bridge of the control room.
import { el, fetched, viewer } from "./dom.js";

let library = null;

export class Live {
  // `screen` gives the password of the screen, `socket` is where the bridge is.
  constructor(place, screen, socket) {
    this.screen = screen;
    this.socket = socket;
    this.note = el("p.quiet", {}, "Connecting to the screen …");
    this.target = el("div.live");
    this.root = el("div.stage", {}, this.note, this.target);
    this.closed = false;
    this.acting = false;
    place.append(this.root);
    this.connect();
  }

  async connect() {
    if (this.closed) return;
    try {
      library ||= (await import("/novnc/core/rfb.js")).default;
    } catch {
      this.note.textContent = "The viewer (noVNC) is not installed on the machine of the control room; frames are shown after each step.";
      return;
    }
    try {
      const { password } = await fetched(this.screen);
      if (this.closed) return;
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      this.rfb = new library(this.target, `${scheme}://${location.host}${this.socket}?viewer=${viewer}`, { credentials: { password } });
    } catch (error) {
      this.again(error.message);
      return;
    }
    this.rfb.scaleViewport = true;
    this.rfb.background = "transparent";
    this.rfb.showDotCursor = true;
    this.rfb.viewOnly = !this.acting;
    this.rfb.addEventListener("connect", () => { this.note.hidden = true; this.wait = 0; });
    this.rfb.addEventListener("disconnect", () => this.again("the screen has gone"));
  }

  // The machine was reverted, or the network broke: look again until the trial has ended.
  again(why) {
    if (this.closed) return;
    this.note.hidden = false;
    this.note.textContent = `${why}; trying again …`;
    this.wait = Math.min((this.wait || 250) * 2, 5000);
    setTimeout(() => this.connect(), this.wait);
  }

  // Whether this page may use mouse and keyboard. The bridge asks nobody whether it believes so.
  mayAct(may) {
    this.acting = may;
    if (!this.rfb) return;
    this.rfb.viewOnly = !may;
    if (may) this.rfb.focus();
  }

  close() {
    this.closed = true;
    this.rfb?.disconnect();
    this.root.remove();
  }
}
