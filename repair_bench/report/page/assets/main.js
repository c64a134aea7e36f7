// The views, and the start of the page.

const VIEWS = ["summary", "figures", "tables", "tasks", "episodes"];

// The promise to wait for, if any.
function showView() {
  const wanted = address.get("view");
  const view = VIEWS.includes(wanted) ? wanted : "summary";
  for (const name of VIEWS) byId(`view-${name}`).hidden = name !== view;
  for (const a of document.querySelectorAll("header nav a")) {
    a.href = link({ view: a.dataset.view });
    if (a.dataset.view === view) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  document.documentElement.dataset.view = view;
  if (view === "summary" || view === "figures") byId(`figure-${address.get("figure")}`)?.scrollIntoView({ block: "start" });
  if (view === "tables") byId(`sheet-${address.get("table")}`)?.scrollIntoView({ block: "start" });
  if (view === "tasks") showHeatmap();
  if (view === "episodes") {
    showFilters();
    showList();
    showing = showEpisode().catch(complain);
    return showing;
  }
  return null;
}

function complain(error) {
  byId("trouble").textContent = `This part of the report cannot be shown: ${error.message}`;
  byId("trouble").hidden = false;
}

async function start() {
  startTheme();
  startRefresh();
  startSorting();
  if (typeof DecompressionStream === "undefined") throw new Error("it requires a newer browser");
  await loadRun();
  run.samples = new Set(run.sample).size;
  startFilters();
  startList();
  startHeatmap();
  startKeyboard();
  window.addEventListener("hashchange", () => {
    readAddress();
    showView();
  });
  document.querySelector("a.skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
  await showView();
  restorePlaces();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start().catch(complain);
