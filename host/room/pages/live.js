// The live screen of a machine, through the bridge of the control room.
import { el, fetched, viewer } from "./dom.js";

let library = null;

export class Live {
  // `screen` is the path that returns the screen's password, `socket` the path of the bridge.
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
      this.note.textContent = "noVNC is not installed on the control room's computer; a frame is shown after each step.";
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
    this.rfb.addEventListener("disconnect", () => this.again("the screen disconnected"));
  }

  // The machine was reverted, or the network failed: reconnect until the trial has ended.
  again(why) {
    if (this.closed) return;
    this.note.hidden = false;
    this.note.textContent = `${why}; reconnecting …`;
    this.wait = Math.min((this.wait || 250) * 2, 5000);
    setTimeout(() => this.connect(), this.wait);
  }

  // Set whether this page may use mouse and keyboard. The bridge enforces it independently.
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
