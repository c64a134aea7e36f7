// The list of matching episodes. Only visible rows are on the page, even if there are many.

const ROW = 52; // pixels, as in the style sheet
const BEYOND = 8; // rows kept above and below the visible ones
let found = [];

function startList() {
  const list = byId("list");
  list.addEventListener("scroll", () => drawRows(), { passive: true });
  new ResizeObserver(() => drawRows()).observe(list);
  byId("list-legend").append(...classLegend());
}

function showList() {
  found = findEpisodes();
  const solved = found.filter((e) => run.state[e] === "counted" && run.solved[e] !== null).length;
  byId("found").textContent = `${found.length.toLocaleString("en")} of ${run.id.length.toLocaleString("en")} found, ${solved.toLocaleString("en")} solved`;
  const rows = byId("list").firstElementChild;
  rows.style.height = `${found.length * ROW}px`;
  drawRows(true);
}

function drawRows(anew = false) {
  const list = byId("list");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - BEYOND);
  const end = Math.min(found.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + BEYOND);
  const rows = list.firstElementChild;
  if (!anew && rows.dataset.drawn === `${first}-${end}`) return;
  rows.dataset.drawn = `${first}-${end}`;
  const focused = rows.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  rows.replaceChildren(...found.slice(first, end).map((episode, i) => row(episode, first + i)));
  if (!found.length) rows.replaceChildren(element("li.empty", {}, run.id.length ? "No episode matches these filters." : "No attempts have been recorded yet."));
  if (focused) [...rows.querySelectorAll("a")].find((a) => a.dataset.id === focused)?.focus({ preventScroll: true });
}

function row(episode, place) {
  const id = run.id[episode];
  const line = element("li", { "aria-setsize": found.length, "aria-posinset": place + 1 },
    element("a", { href: link({ view: "episodes", episode: id, attempt: null }), "data-id": id, "aria-current": id === address.get("episode") ? "true" : null },
      element("span.first", {}, element("span", {}, element("strong", {}, taskLabel(episode)), taskTitle(episode) && element("small", {}, ` ${taskTitle(episode)}`)), strip(episode)),
      element("span.second", {}, element("span", {}, label(episode)), element("span.ending", {}, ending(episode)))));
  line.style.top = `${place * ROW}px`;
  return line;
}

// Show the row of an episode if it matches.
function scrollToRow(episode) {
  const place = found.indexOf(episode);
  const list = byId("list");
  if (place < 0 || !list.clientHeight) return;
  if (place * ROW < list.scrollTop) list.scrollTop = place * ROW;
  else if ((place + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (place + 1) * ROW - list.clientHeight;
}

// The episode `step` places further down the list; the first episode if none is open.
function neighbour(step) {
  const place = found.indexOf(run.number.get(address.get("episode")));
  return place < 0 ? found[0] : found[place + step];
}

function openNeighbour(step) {
  const episode = neighbour(step);
  if (episode === undefined) return;
  go({ view: "episodes", episode: run.id[episode], attempt: null }, { silently: true });
  if (!byId("list").contains(document.activeElement)) byId("episode").focus({ preventScroll: true }); // so that keys scroll it
}
