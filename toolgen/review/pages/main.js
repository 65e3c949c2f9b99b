// Selects the page to show, and polls the list of candidates.
import { el, fetched } from "/pages/dom.js";
import { Card } from "./card.js";
import { List } from "./list.js";

const POLL_MS = 3000;
const main = document.getElementById("main");
const path = document.getElementById("path");
const link = document.getElementById("link");
const who = document.getElementById("who");
let page = null;
let listing = null;

function show() {
  const [kind, name] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  page?.close?.();
  main.replaceChildren();
  const current = (text) => el("span", { "aria-current": "page" }, text);
  if (kind === "candidate") {
    path.replaceChildren(el("a", { href: "#/" }, "all candidates"), el("span", { "aria-hidden": "true" }, "/"), current(name));
    page = new Card(main, name, listing.reviewer);
    document.title = `${name} – Review – Ambidex`;
  } else {
    path.replaceChildren(current("all candidates"));
    page = new List(main);
    document.title = "Review – Ambidex";
  }
  page.update(listing);
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

async function poll() {
  try {
    const first = !listing;
    listing = await fetched("/api/candidates");
    who.textContent = `You are ${listing.reviewer}`;
    link.textContent = "";
    if (first) {
      addEventListener("hashchange", show);
      show();
    } else page.update(listing);
  } catch (error) {
    link.textContent = `The review page does not answer (${error.message}); retrying …`;
  }
  setTimeout(poll, POLL_MS);
}

poll();
