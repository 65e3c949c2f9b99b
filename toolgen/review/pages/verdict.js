// The verdict form, and the verdicts once the reviewer may see them.
import { el, fetched, tell } from "/pages/dom.js";

const VERDICTS = [["accept", "Accept"], ["revise", "Revise"], ["reject", "Reject"]];
const NAMES = {
  correct: "Correct", general: "General", safe: "Safe", useful: "Useful", not_a_duplicate: "Not a duplicate", well_described: "Well described",
};

export class Verdict {
  constructor(place, card, reviewer, onSubmitted) {
    this.card = card;
    this.reviewer = reviewer;
    this.onSubmitted = onSubmitted;
    // Entries are kept in the session, so that they survive a reload.
    this.key = card.now ? `verdict ${reviewer} ${card.name} ${card.now.n} ${card.now.sha256}` : "";
    const content = card.state === "yours" ? this.form() : this.verdicts();
    const focused = document.activeElement?.id;
    const submitted = place.contains(document.activeElement) && card.state !== "yours";
    place.replaceChildren(content);
    if (submitted) content.querySelector("h2").focus();
    else if (focused) place.querySelector(`#${CSS.escape(focused)}`)?.focus();
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
      el("p.quiet", {}, `On draft ${this.card.now.n}. It is final; other verdicts are shown to you afterwards.`),
      el("fieldset.choices", {}, el("legend", {}, "Decision"), ...VERDICTS.map(choice)),
      el("div.reasons", {}, el("h3", {}, "Reasons"), el("span.quiet", {}, "at least one, unless you accept")),
      ...criteria, area("comment", "Comment", ""),
      el("div.last", {}, this.problem, el("button.primary", {}, "Submit verdict")));
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
      this.problem.textContent = `Give at least one reason to ${verdict}.`;
      this.body.querySelector("textarea").focus();
      return;
    }
    const submission = { reviewer: this.reviewer, draft: this.card.now.n, sha256: this.card.now.sha256, verdict, reasons, comment };
    try {
      await fetched(`/api/candidates/${encodeURIComponent(this.card.name)}/verdict`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(submission),
      });
      sessionStorage.removeItem(this.key);
      tell("Your verdict was submitted.");
      this.onSubmitted();
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  verdicts() {
    const { card } = this;
    const current = card.reviews.filter((review) => review.draft === card.now?.n);
    const earlier = card.reviews.filter((review) => review.draft !== card.now?.n);
    return el("div.verdicts", {}, el("h2", { tabindex: "-1" }, "Verdicts"), el("p", {}, card.text),
      card.state === "others" && /disagree/.test(card.text) ? el("p.quiet", {}, "The person who serves this page can add a third reviewer with ", el("code.option", {}, "--reviewer"), ".") : "",
      ...current.map(opinion),
      earlier.length ? el("details", {}, el("summary", {}, `On earlier drafts (void): ${earlier.length}`), ...earlier.map(opinion)) : "");
  }
}

function opinion(review) {
  const reasons = Object.entries(review.reasons).filter(([, text]) => text);
  return el("article.opinion", { "data-verdict": review.verdict, "aria-label": `${review.reviewer}: ${review.verdict}` },
    el("div.row", {}, el("b", {}, review.reviewer), el("span.chip", { "data-verdict": review.verdict }, review.verdict)),
    el("p.quiet", {}, [review.human ? "" : "a model: not counted", `draft ${review.draft}`, review.given.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ")),
    reasons.length ? el("dl", {}, ...reasons.flatMap(([name, text]) => [el("dt", {}, NAMES[name]), el("dd", {}, text)])) : "",
    review.comment ? el("p", {}, review.comment) : "");
}
