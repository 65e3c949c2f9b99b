// Routing between the pages, and the event stream with the state of the runs.
import { el, trialPath, viewer } from "./dom.js";
import { Wall } from "./wall.js";
import { Desk } from "./desk.js";
import { Compare } from "./compare.js";
import { Tree } from "./tree.js";

const main = document.getElementById("main");
const path = document.getElementById("path");
const link = document.getElementById("link");
let page = null;
let state = null;

function crumbs(...steps) {
  path.replaceChildren(...steps.flatMap(([text, address], at) => [
    at ? el("span", { "aria-hidden": "true" }, "/") : null,
    address ? el("a", { href: address }, text) : el("span", { "aria-current": "page" }, text),
  ]).filter(Boolean));
}

function show() {
  const [kind, ...names] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  page?.close?.();
  main.replaceChildren();
  if (kind === "trial") {
    crumbs(["all trials", "#/"], [`${names[0]} / ${names[1]}`]);
    page = new Desk(main, names[0], names[1]);
    document.title = `${names[1]} – Ambidex`;
  } else if (kind === "compare") {
    crumbs(["all trials", "#/"], ["side by side"]);
    page = new Compare(main, [names.slice(0, 2), names.slice(2, 4)]);
    document.title = "Side by side – Ambidex";
  } else if (kind === "tree") {
    crumbs(["all trials", "#/"], [`${names[0]} / ${names[1]}`, `#/trial/${trialPath(names[0], names[1])}`], ["tree"]);
    page = new Tree(main, names[0], names[1]);
    document.title = `Tree of ${names[1]} – Ambidex`;
  } else {
    crumbs(["all trials"]);
    page = new Wall(main);
    document.title = "Ambidex";
  }
  if (state) page.update?.(state);
  main.focus({ preventScroll: true });
}

function listen() {
  const stream = new EventSource(`/api/events?viewer=${viewer}`);
  stream.onopen = () => { link.textContent = ""; };
  stream.onmessage = (event) => {
    // Events include the runs only when something in them has changed.
    state = { ...state, ...JSON.parse(event.data) };
    page?.update?.(state);
  };
  stream.onerror = () => {
    link.textContent = "The control room does not respond; reconnecting …";
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}

addEventListener("hashchange", show);
show();
listen();
