// Routing between the pages, and the event stream with the state of the runs.
import { el, trialPath, viewer } from "./dom.js";
import { Wall } from "./wall.js";
import { Desk } from "./desk.js";
import { Compare } from "./compare.js";
import { Tree } from "./tree.js";
import { wallAddress } from "./filters.js";
import { forPage, showKeys } from "./keys.js";
import { Notices } from "./notices.js";
import { apply } from "./state.js";

const main = document.getElementById("main");
const path = document.getElementById("path");
const link = document.getElementById("link");
const notices = new Notices(document.getElementById("notices"));
let page = null;
let state = null;

function crumbs(...steps) {
  path.replaceChildren(...steps.flatMap(([text, address], at) => [
    at ? el("span", { "aria-hidden": "true" }, "/") : null,
    address ? el("a", { href: address }, text) : el("span", { "aria-current": "page" }, text),
  ]).filter(Boolean));
}

function show() {
  const [way, query] = location.hash.replace(/^#\//, "").split("?");
  const [kind, ...names] = way.split("/").map(decodeURIComponent);
  const wall = ["all trials", wallAddress()];
  if (kind === "trial" && page instanceof Desk && page.shows(names)) return;
  page?.close?.();
  main.replaceChildren();
  if (kind === "trial") {
    crumbs(wall, [`${names[0]} / ${names[1]}`]);
    page = new Desk(main, ...names);
    notices.page(`${names[1]} – Ambidex`);
  } else if (kind === "compare") {
    crumbs(wall, ["side by side"]);
    page = new Compare(main, [names.slice(0, 2), names.slice(2, 4)]);
    notices.page("Side by side – Ambidex");
  } else if (kind === "tree") {
    crumbs(wall, [`${names[0]} / ${names[1]}`, `#/trial/${trialPath(names[0], names[1])}`], ["tree"]);
    page = new Tree(main, names[0], names[1]);
    notices.page(`Tree of ${names[1]} – Ambidex`);
  } else {
    crumbs(["all trials"]);
    page = new Wall(main, query || "");
    notices.page("Ambidex");
  }
  if (state) page.update?.(state);
  main.focus({ preventScroll: true });
}

function listen() {
  const stream = new EventSource(`/api/events?viewer=${viewer}`);
  let first = true; // of a connection: the server tells everything again
  stream.onopen = () => { link.textContent = ""; first = true; };
  stream.onmessage = (event) => {
    state = apply(first ? { runs: [], version: state?.version } : state, JSON.parse(event.data));
    first = false;
    notices.update(state);
    page?.update?.(state);
  };
  stream.onerror = () => {
    link.textContent = "The control room does not respond; reconnecting …";
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}

addEventListener("keydown", (event) => {
  if (!forPage(event)) return;
  if (event.key !== "?") page?.key?.(event);
  else {
    showKeys();
    event.preventDefault();
  }
});
document.getElementById("keys").onclick = showKeys;
addEventListener("hashchange", show);
show();
listen();
