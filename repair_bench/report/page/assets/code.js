// Programs on the page, with line numbers and syntax colours, and as a diff to the previous program.

function wholeCode(code) {
  return element("div.code", { role: "group", "aria-label": "Code", tabindex: "0" }, coloured(code).map((pieces, i) => codeLine(" ", pieces, "", i + 1)));
}

function diffCode(before, after) {
  const old = coloured(before);
  const now = coloured(after);
  const lines = diff(before, after);
  const marks = changedParts(lines);
  return element("div.code.diff", { role: "group", "aria-label": "Diff to the previous attempt", tabindex: "0" }, lines.map((line, i) =>
    codeLine(line.sign, marked(line.sign === "-" ? old[line.old - 1] : now[line.new - 1], marks.get(i)), line.old ?? "", line.new ?? "")));
}

const LINE_CLASSES = { " ": "same", "-": "removed", "+": "added" };

function codeLine(sign, pieces, before, after) {
  return element(`div.line.${LINE_CLASSES[sign]}`, {},
    before === "" && sign === " " ? null : element("i", { "data-n": before, "aria-hidden": "true" }),
    element("i", { "data-n": after, "aria-hidden": "true" }),
    element("i.mark", { "data-n": sign, "aria-hidden": "true" }),
    element(sign === "-" ? "del" : sign === "+" ? "ins" : "span", {},
      pieces.map(([name, text]) => (name ? element(`span.${name}`, {}, text) : text)), pieces.length ? null : "\n"));
}

// For two aligned lines: the range of each that differs.
function changedParts(lines) {
  const parts = new Map();
  for (let i = 0; i < lines.length; i += 1) {
    if (lines[i].sign !== "-") continue;
    let middle = i;
    while (lines[middle]?.sign === "-") middle += 1;
    let end = middle;
    while (lines[end]?.sign === "+") end += 1;
    if (middle - i === end - middle) {
      for (let n = 0; n < middle - i; n += 1) compare(lines[i + n].text, lines[middle + n].text, i + n, middle + n, parts);
    }
    i = end - 1;
  }
  return parts;
}

function compare(a, b, left, right, parts) {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  if (start + end < most / 3) return; // the lines have little in common, so the whole line counts as new
  parts.set(left, [start, a.length - end]).set(right, [start, b.length - end]);
}

// The pieces of a line; pieces between `from` and `to` also have the class "changed".
function marked(pieces, part) {
  if (!part) return pieces;
  const [from, to] = part;
  const out = [];
  let place = 0;
  for (const [name, text] of pieces) {
    const cuts = [0, from - place, to - place, text.length].map((cut) => Math.min(Math.max(cut, 0), text.length));
    for (let i = 0; i < 3; i += 1) {
      if (cuts[i] < cuts[i + 1]) out.push([i === 1 ? `${name || "plain"}.changed` : name, text.slice(cuts[i], cuts[i + 1])]);
    }
    place += text.length;
  }
  return out;
}
