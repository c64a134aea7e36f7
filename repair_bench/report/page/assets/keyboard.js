// Single-key shortcuts. They are inactive while the reader types, and can be disabled in the help.

const KEYS = {
  j: () => openNeighbour(1),
  k: () => openNeighbour(-1),
  ArrowRight: () => openAttempt(1),
  ArrowLeft: () => openAttempt(-1),
  d: () => toggleDiff(),
  t: () => nextTheme(),
  "/": () => openSearch(),
  "?": () => byId("help").showModal(),
  Escape: () => go({ episode: null, attempt: null }),
};
["summary", "figures", "tables", "tasks", "episodes"].forEach((view, i) => {
  KEYS[i + 1] = () => go({ view });
});
const VIEWER_KEYS = ["ArrowRight", "ArrowLeft", "d", "Escape"];

function startKeyboard() {
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  document.addEventListener("keydown", (event) => {
    const inList = event.target.closest("#list");
    if (inList && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      openNeighbour(event.key === "ArrowDown" ? 1 : -1);
      return;
    }
    const act = KEYS[event.key];
    if (!act || !byId("keys-on").checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId("help").open || event.target.closest("input, select, textarea")) return;
    if (VIEWER_KEYS.includes(event.key) && address.get("view") !== "episodes") return;
    if (event.key.startsWith("Arrow") && scrolls(event.target)) return;
    event.preventDefault();
    act();
  });
}

// Whether the arrow keys are needed to scroll the focused element.
function scrolls(target) {
  return target.matches("pre, .scroll, .paper") && target.scrollWidth > target.clientWidth;
}

function openSearch() {
  go({ view: "episodes", episode: null, attempt: null });
  showView();
  byId("filters").parentNode.open = true;
  byId("filters").elements.q.focus();
}
