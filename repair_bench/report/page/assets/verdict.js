// A verdict and its evidence: the problem, expected and returned values, tracebacks, isolation.

function showVerdict(verdict) {
  const { cases, texts: evidence } = verdict;
  return element("section.part", {},
    element("h4", {}, "Verdict"),
    element("p.problem", {}, sign(verdict.class), " ", element("strong", {}, verdict.type), verdict.problem && `: ${verdict.problem}`,
      verdict.distance && ` (${verdict.distance})`),
    verdict.note && element("p.note", {}, verdict.note),
    Object.entries(evidence).filter(([name]) => name !== "message" || !evidence.traceback).map(([name, text]) => labelled(name, text)),
    cases.map((one, i) => showCase(one, i, cases.length)),
    element("p.note", {}, `Rule: ${verdict.rule}. ${verdict.sealed}`,
      verdict.kind !== "pass" && ` Taxonomies: ${Object.entries(verdict.taxonomies).map(([name, type]) => `${name}: ${type}`).join("; ")}.`));
}

function labelled(name, text) {
  return element("div.labelled", {}, element("h5", {}, name), element("pre", { tabindex: "0" }, text));
}

function showCase(one, number, all) {
  const head = [
    all > 1 ? `Case ${number + 1}` : "Case",
    one.inputs === null ? "" : `, input (${one.inputs})`,
    one.hidden ? ", hidden from the model" : "",
  ].join("");
  return element("div.case", {},
    element("h5", {}, head),
    one.notes && element("p.note", {}, one.notes),
    one.outcomes ? outcomes(one.outcomes) : element("div.beside", {}, side("expected", one.expected), side("returned", one.got)));
}

function side(name, text) {
  return element("div", {}, element("h6", {}, name), text === null ? element("p.note", {}, "not recorded") : element("pre", { tabindex: "0" }, text));
}

function outcomes(rows) {
  return element("div.scroll", { tabindex: "0", role: "region", "aria-label": "Outcomes" }, element("table.outcomes", {},
    element("thead", {}, element("tr", {}, ["outcome", "expected", "returned"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, rows.map(([key, expected, got]) => element("tr", {},
      element("th", { scope: "row" }, key), probability(expected, "expected"), probability(got, "returned"))))));
}

function probability(p, name) {
  const bar = element(`span.bar.${name}`, { "aria-hidden": "true" });
  bar.style.setProperty("--rate", p);
  return element("td.number", {}, bar, p.toFixed(4));
}
