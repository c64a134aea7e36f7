// The classes of attempts. Each has a sign and a colour, so it can be recognised without colour.

const SIGNS = {
  pass: "✓",
  "wrong answer": "≠",
  exception: "!",
  "no code": "∅",
  limit: "◷",
  fault: "×",
  "off policy": "–",
  unknown: "?",
};

function slug(name) {
  return `is-${name.replaceAll(" ", "-")}`;
}

function sign(name, title = name) {
  return element(`span.sign.${slug(name)}`, { title }, SIGNS[name] ?? "?");
}

// The signs of an episode's attempts, with labels for screen readers.
function strip(episode) {
  const kinds = run.paths[episode].map((kind) => run.kinds[kind]);
  return element("span.strip", { role: "img", "aria-label": kinds.map(([, type]) => type).join(", ") },
    kinds.map(([name, type]) => sign(name, type)));
}

function classLegend() {
  const present = new Set(run.kinds.map(([name]) => name));
  return Object.keys(SIGNS).filter((name) => present.has(name)).map((name) => element("span", {}, sign(name), " ", name));
}
