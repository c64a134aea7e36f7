// The task map: a row per task, a column per model, condition and framework, and a cell per episode or group of samples.

const MAP_ROWS = 100; // rows drawn in one step
const MAP_COLUMNS = ["model", "condition", "framework"];
let mapRows = [];
let mapColumns = [];

function startHeatmap() {
  byId("map-shows").addEventListener("input", (event) => go({ cells: event.target.value === "solved" ? null : event.target.value }, { silently: true }));
  byId("map-more").addEventListener("click", () => drawMapRows());
  byId("map").addEventListener("keydown", moveInMap);
}

function showHeatmap() {
  const shows = address.get("cells") ?? "solved";
  const place = byId("map");
  if (place.dataset.shows === shows) return;
  place.dataset.shows = shows;
  byId("map-shows").value = shows;
  if (!mapRows.length) arrangeMap();
  if (!mapRows.length) {
    place.replaceChildren(element("p.empty", {}, "No attempts have been recorded yet."));
    return;
  }
  byId("map-legend").replaceChildren(...(shows === "solved" ? solvedLegend() : classLegend()));
  place.replaceChildren(element("table.map", { "aria-label": "Tasks by model, condition and framework" }, mapHead(), element("tbody")));
  drawMapRows();
  place.querySelector("td a")?.setAttribute("tabindex", "0");
}

function arrangeMap() {
  const columns = new Map();
  const rows = new Map();
  for (let episode = 0; episode < run.id.length; episode += 1) {
    const names = MAP_COLUMNS.map((field) => value(field, episode));
    const key = JSON.stringify(names);
    if (!columns.has(key)) columns.set(key, names);
    const task = run.fields.task.column[episode];
    if (!rows.has(task)) rows.set(task, new Map());
    const cells = rows.get(task);
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(episode);
  }
  mapRows = [...rows.values()];
  mapColumns = [...columns].sort(([, a], [, b]) => a.map((name, i) => name.localeCompare(b[i], "en")).find(Boolean) ?? 0);
}

// One header row per field; fields with a single value have none, except the last field.
function mapHead() {
  const heads = MAP_COLUMNS.map((field, depth) => {
    if (depth < MAP_COLUMNS.length - 1 && !varies(field)) return null;
    const cells = [];
    for (const [, names] of mapColumns) {
      const key = JSON.stringify(names.slice(0, depth + 1));
      if (cells.at(-1)?.key === key) cells.at(-1).span += 1;
      else cells.push({ key, name: names[depth], span: 1 });
    }
    return cells.map(({ name, span }) => element("th", { scope: span > 1 ? "colgroup" : "col", colspan: span }, element("span", {}, shortName(field, name))));
  }).filter(Boolean);
  return element("thead", {}, heads.map((cells, i) =>
    element("tr", {}, i ? null : element("th.corner", { scope: "col", rowspan: heads.length }, "task"), cells)));
}

function drawMapRows() {
  const body = byId("map").querySelector("tbody");
  const drawn = body.rows.length;
  body.append(...mapRows.slice(drawn, drawn + MAP_ROWS).map(mapRow));
  const left = mapRows.length - body.rows.length;
  byId("map-more").hidden = left <= 0;
  byId("map-more").textContent = `Show ${Math.min(left, MAP_ROWS)} more of ${left} tasks`;
}

function mapRow(cells) {
  const [first] = cells.values().next().value;
  return element("tr", {},
    element("th", { scope: "row" }, taskLabel(first), taskTitle(first) && element("small.title", {}, taskTitle(first)), element("small", {}, value("category", first))),
    mapColumns.map(([key]) => element("td", {}, cells.has(key) ? mapCell(cells.get(key)) : null)));
}

function mapCell(episodes) {
  const [first] = episodes;
  const filters = Object.fromEntries(["task", ...MAP_COLUMNS].map((field) => [field, varies(field) ? value(field, first) : null]));
  const { words, name, sort } = byId("map").dataset.shows === "solved" ? solvedCell(episodes) : classCell(episodes);
  const target = new URLSearchParams({ view: "episodes", episode: run.id[first] });
  if (episodes.length > 1) for (const [field, wanted] of Object.entries(filters)) if (wanted) target.set(field, wanted);
  const cell = element(`a.cell.${name}`, { href: `#${target}`, tabindex: "-1", title: `${taskLabel(first)} · ${label(first)}: ${sort}`, "aria-label": `${taskLabel(first)}, ${label(first)}: ${sort}` }, words);
  return cell;
}

function solvedCell(episodes) {
  const counted = episodes.filter((e) => run.state[e] === "counted");
  if (!counted.length) return { words: SIGNS.fault, name: "left-out", sort: ending(episodes[0]) };
  const solved = counted.filter((e) => run.solved[e] !== null);
  if (episodes.length === 1) {
    const at = run.solved[episodes[0]];
    return { words: at ?? "✗", name: at === null ? "never" : `at-${Math.min(at, 5)}`, sort: ending(episodes[0]) };
  }
  const share = solved.length / counted.length;
  return { words: `${solved.length}/${counted.length}`, name: share ? `at-${Math.round((1 - share) * 5)}` : "never", sort: `${solved.length} of ${counted.length} samples solved` };
}

function classCell(episodes) {
  const last = byId("map").dataset.shows === "last";
  const tally = new Map();
  for (const e of episodes) {
    const [name] = run.kinds[last ? run.paths[e].at(-1) : run.paths[e][0]];
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
  const [name] = [...tally].sort((a, b) => b[1] - a[1])[0];
  return { words: SIGNS[name], name: slug(name), sort: [...tally].map(([n, count]) => (episodes.length > 1 ? `${n} ${count}` : n)).join(", ") };
}

function solvedLegend() {
  const keys = run.samples > 1
    ? [["at-0", "4/4", "all samples solved"], ["at-3", "2/4", "half"], ["never", "0/4", "none"]]
    : [["at-0", "0", "solved by the first answer"], ["at-1", "1", "by repair 1"], ["at-5", "5", "by repair 5 or later"], ["never", "✗", "not solved"]];
  return [...keys, ["left-out", SIGNS.fault, "censored"]].map(([name, words, means]) =>
    element("span", {}, element(`span.cell.${name}`, { "aria-hidden": "true" }, words), " ", means));
}

// The Tab key reaches one cell; arrow keys move between cells.
function moveInMap(event) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  const cell = event.target.closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  event.stopPropagation();
  const rows = byId("map").querySelector("tbody").rows;
  let [y, x] = [cell.parentNode.sectionRowIndex + step[0], cell.cellIndex + step[1]];
  while (rows[y]?.cells[x] && x > 0) {
    const next = rows[y].cells[x].querySelector("a");
    if (next) {
      event.target.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
      return;
    }
    y += step[0];
    x += step[1];
  }
}
