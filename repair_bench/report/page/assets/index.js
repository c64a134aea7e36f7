// The index of several runs: the selection of tables.

const CHOICES = ["suite", "rule"];

function showBoards() {
  for (const name of CHOICES) {
    const wanted = address.get(name) ?? "";
    byId(name).value = [...byId(name).options].some((option) => option.value === wanted) ? wanted : "";
  }
  for (const board of document.querySelectorAll(".board")) {
    board.hidden = CHOICES.some((name) => byId(name).value && byId(name).value !== board.dataset[name]);
  }
}

startTheme();
startSorting();
for (const name of CHOICES) byId(name).addEventListener("change", () => go({ [name]: byId(name).value }));
window.addEventListener("hashchange", () => {
  readAddress();
  showBoards();
});
showBoards();
document.documentElement.dataset.ready = Math.round(performance.now());
