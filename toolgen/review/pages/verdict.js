// The form of a verdict, and after it what everybody said.
import { el, fetched, tell } from "/pages/dom.js";

const VERDICTS = [["accept", "Accept"], ["revise", "Revise"], ["reject", "Reject"]];
const NAMES = {
  correct: "Correct", general: "General", safe: "Safe", useful: "Useful", not_a_duplicate: "Not a duplicate", well_described: "Well described",
};

export class Verdict {
  constructor(place, card, reviewer, given) {
    this.card = card;
    this.reviewer = reviewer;
    this.given = given;
    // What was written is still there after a reload.
    this.key = card.now ? `verdict ${reviewer} ${card.name} ${card.now.n} ${card.now.sha256}` : "";
    const content = card.state === "yours" ? this.form() : this.heard();
    const before = document.activeElement?.id;
    const giving = place.contains(document.activeElement) && card.state !== "yours";
    place.replaceChildren(content);
    if (giving) content.querySelector("h2").focus();
    else if (before) place.querySelector(`#${CSS.escape(before)}`)?.focus();
  }

  form() {
    const kept = JSON.parse(sessionStorage.getItem(this.key) || "{}");
    const area = (name, label, hint) => {
      const field = el("textarea", { id: `field-${name}`, name, rows: "1", "aria-describedby": hint ? `hint-${name}` : null }, kept[name] || "");
      return el("div.criterion", {}, el("label", { for: `field-${name}` }, label), hint ? el("p.quiet", { id: `hint-${name}` }, hint) : "", field);
    };
    const choice = ([value, text]) => el("label.choice", { "data-verdict": value },
      el("input", { type: "radio", name: "verdict", id: `verdict-${value}`, value, required: true, checked: kept.verdict === value }), text);
    const criteria = Object.entries(this.card.rubric).map(([name, hint]) => area(name, NAMES[name], hint));
    this.problem = el("p.result.error", { role: "alert" });
    this.body = el("form.verdict", { novalidate: true, onsubmit: (event) => { event.preventDefault(); this.send(); }, oninput: () => this.keep() },
      el("h2", {}, "Your verdict"),
      el("p.quiet", {}, `On draft ${this.card.now.n}. It stands once given; what others say is shown to you after it.`),
      el("fieldset.choices", {}, el("legend", {}, "The tool is to be"), ...VERDICTS.map(choice)),
      el("div.reasons", {}, el("h3", {}, "Reasons"), el("span.quiet", {}, "at least one where you do not accept")),
      ...criteria, area("comment", "Comment", ""),
      el("div.last", {}, this.problem, el("button.primary", {}, "Give the verdict")));
    return this.body;
  }

  fields() {
    return Object.fromEntries([...new FormData(this.body)].map(([name, value]) => [name, value.trim()]));
  }

  keep() {
    this.problem.textContent = "";
    sessionStorage.setItem(this.key, JSON.stringify(this.fields()));
  }

  async send() {
    const { verdict, comment, ...reasons } = this.fields();
    if (!verdict) {
      this.problem.textContent = "Accept, revise or reject?";
      this.body.querySelector("input").focus();
      return;
    }
    if (verdict !== "accept" && !Object.values(reasons).some(Boolean)) {
      this.problem.textContent = `To ${verdict} needs a reason.`;
      this.body.querySelector("textarea").focus();
      return;
    }
    const said = { reviewer: this.reviewer, draft: this.card.now.n, sha256: this.card.now.sha256, verdict, reasons, comment };
    try {
      await fetched(`/api/candidates/${encodeURIComponent(this.card.name)}/verdict`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(said),
      });
      sessionStorage.removeItem(this.key);
      tell("Your verdict is given.");
      this.given();
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  heard() {
    const { card } = this;
    const here = card.reviews.filter((each) => each.draft === card.now?.n);
    const void_ = card.reviews.filter((each) => each.draft !== card.now?.n);
    return el("div.heard", {}, el("h2", { tabindex: "-1" }, "What was said"), el("p", {}, card.text),
      card.state === "others" && /disagree/.test(card.text) ? el("p.quiet", {}, "Whoever opened this page can name a third with ", el("code.option", {}, "--reviewer"), ".") : "",
      ...here.map(opinion),
      void_.length ? el("details", {}, el("summary", {}, `On earlier drafts (void): ${void_.length}`), ...void_.map(opinion)) : "");
  }
}

function opinion(review) {
  const reasons = Object.entries(review.reasons).filter(([, text]) => text);
  return el("article.opinion", { "data-verdict": review.verdict, "aria-label": `${review.reviewer}: ${review.verdict}` },
    el("div.row", {}, el("b", {}, review.reviewer), el("span.chip", { "data-verdict": review.verdict }, review.verdict)),
    el("p.quiet", {}, [review.human ? "" : "a model: it counts for nothing", `draft ${review.draft}`, review.given.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ")),
    reasons.length ? el("dl", {}, ...reasons.flatMap(([name, text]) => [el("dt", {}, NAMES[name]), el("dd", {}, text)])) : "",
    review.comment ? el("p", {}, review.comment) : "");
}
