// Tables sorted by a click on a column heading: numbers in descending order first, names in ascending order, unknown values always last.

function startSorting() {
  for (const table of document.querySelectorAll("table.sortable")) {
    table.tHead.addEventListener("click", (event) => {
      const head = event.target.closest("th");
      if (head) sortBy(table, head);
    });
  }
}

function sortBy(table, head) {
  const column = head.cellIndex;
  const numeric = head.classList.contains("number");
  const before = head.getAttribute("aria-sort");
  const upwards = before ? before === "descending" : !numeric;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: row.cells[column].dataset.sort }));
  rows.sort((a, b) => {
    if (a.key === "" || b.key === "") return (a.key === "") - (b.key === "");
    const order = numeric ? a.key - b.key : a.key.localeCompare(b.key, "en", { numeric: true });
    return upwards ? order : -order;
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
}
