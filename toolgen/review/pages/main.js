// Which page is shown, and what the candidates wait for, asked again and again.
import { el, fetched } from "/pages/dom.js";
import { Card } from "./card.js";
import { List } from "./list.js";

const EVERY = 3000;
const main = document.getElementById("main");
const path = document.getElementById("path");
const link = document.getElementById("link");
const who = document.getElementById("who");
let page = null;
let said = null;

function show() {
  const [kind, name] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  page?.close?.();
  main.replaceChildren();
  const at = (text) => el("span", { "aria-current": "page" }, text);
  if (kind === "candidate") {
    path.replaceChildren(el("a", { href: "#/" }, "all candidates"), el("span", { "aria-hidden": "true" }, "/"), at(name));
    page = new Card(main, name, said.reviewer);
    document.title = `${name} – Review – Ambidex`;
  } else {
    path.replaceChildren(at("all candidates"));
    page = new List(main);
    document.title = "Review – Ambidex";
  }
  page.update(said);
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

async function look() {
  try {
    const first = !said;
    said = await fetched("/api/candidates");
    who.textContent = `You are ${said.reviewer}`;
    link.textContent = "";
    if (first) {
      addEventListener("hashchange", show);
      show();
    } else page.update(said);
  } catch (error) {
    link.textContent = `The review page does not answer (${error.message}); trying again …`;
  }
  setTimeout(look, EVERY);
}

look();
