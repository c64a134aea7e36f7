// The listed episodes and their order. Filters have the same names in the address as here.

const FIELD_FILTERS = ["suite", "model", "framework", "condition", "category", "difficulty", "task"];
const FILTERS = [...FIELD_FILTERS, "error", "at", "solved", "q", "sort"];
const FILTER_LABELS = { suite: "Suite", model: "Model", framework: "Framework", condition: "Condition (arm)", category: "Category", difficulty: "Difficulty", task: "Task" };
const AT = { "": "in any attempt", first: "in the first answer", last: "in the last attempt" };
const SORTS = {
  "": ["by task", null],
  late: ["solved latest first", (e) => -(run.solved[e] ?? Infinity)],
  early: ["solved earliest first", (e) => run.solved[e] ?? Infinity],
  tokens: ["most tokens first", (e) => -(run.tokens[e] ?? -1)],
  cost: ["most expensive first", (e) => -(run.cost[e] ?? -1)],
};

function startFilters() {
  const form = byId("filters");
  form.append(control("q", "Search", element("input", { type: "search", placeholder: "task, title, error type or id" })));
  for (const field of FIELD_FILTERS.filter(varies)) {
    form.append(control(field, FILTER_LABELS[field], select(["", ...run.fields[field].names.map(nameOf)].map((name) => [name, shortName(field, name) || "all"]))));
  }
  const classes = new Set(run.kinds.map(([name]) => name));
  form.append(
    control("error", "Error class", select([["", "all"], ...Object.keys(SIGNS).filter((c) => c !== "pass" && classes.has(c)).map((c) => [c, c])])),
    control("at", "Error class is", select(Object.entries(AT))),
    control("solved", "Solved at", select([["", "all"], ...endings()])),
    element("button", { type: "reset" }, "Clear"),
  );
  const order = select(Object.entries(SORTS).map(([name, [words]]) => [name, words]));
  order.setAttribute("form", "filters");
  order.setAttribute("aria-label", "Order");
  order.name = "sort";
  order.addEventListener("input", () => form.dispatchEvent(new Event("input")));
  byId("order").append(order);
  form.addEventListener("input", () => go(Object.fromEntries(FILTERS.map((name) => [name, form.elements[name]?.value ?? null])), { silently: true }));
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    go(Object.fromEntries(FILTERS.map((name) => [name, null])), { silently: true });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  if (matchMedia("(max-width: 800px)").matches) form.parentNode.open = false;
}

function control(name, words, input) {
  input.name = name;
  return element("label", {}, element("span", {}, words), input);
}

function select(options) {
  return element("select", {}, options.map(([value, words]) => element("option", { value }, words)));
}

function endings() {
  const present = new Set(run.id.map((_, episode) => endingKey(episode)));
  const [numbers, others] = [true, false].map((wanted) => [...present].filter((key) => /^\d+$/.test(key) === wanted));
  const solved = numbers.sort((a, b) => a - b).map((k) => [k, k === "0" ? "0, the first answer" : `repair ${k}`]);
  const words = { never: "not solved", ...CUT_SHORT };
  return [...solved, ...others.sort().map((key) => [key, words[key] ?? `censored: ${key}`])];
}

function endingKey(episode) {
  return run.state[episode] === "counted" ? String(run.solved[episode] ?? "never") : run.state[episode];
}

function showFilters() {
  const form = byId("filters");
  for (const name of FILTERS) {
    const input = form.elements[name];
    if (input && input.value !== (address.get(name) ?? "")) input.value = address.get(name) ?? "";
  }
  form.elements.at.parentNode.hidden = !address.get("error");
}

// The indices of the episodes that match the filters in the address.
function findEpisodes() {
  const tests = FIELD_FILTERS.filter((field) => address.get(field)).map((field) => {
    const { names, column } = run.fields[field];
    const wanted = names.findIndex((name) => nameOf(name) === address.get(field));
    return (episode) => column[episode] === wanted;
  });
  const error = address.get("error");
  if (error) {
    const kinds = new Set(run.kinds.flatMap(([name], kind) => (name === error ? [kind] : [])));
    const at = address.get("at");
    tests.push((episode) => {
      const path = run.paths[episode];
      if (at === "first") return kinds.has(path[0]);
      return at === "last" ? kinds.has(path.at(-1)) : path.some((kind) => kinds.has(kind));
    });
  }
  const solved = address.get("solved");
  if (solved) tests.push((episode) => endingKey(episode) === solved);
  const words = address.get("q")?.trim().toLowerCase();
  if (words) {
    const tasks = run.fields.task.names.map((name, i) => `${name} ${run.titles[i] ?? ""}`.toLowerCase().includes(words));
    const kinds = run.kinds.map(([, type]) => type.toLowerCase().includes(words));
    tests.push((e) => tasks[run.fields.task.column[e]] || run.id[e].startsWith(words) || run.paths[e].some((kind) => kinds[kind]));
  }
  const found = [];
  for (let episode = 0; episode < run.id.length; episode += 1) {
    if (tests.every((test) => test(episode))) found.push(episode);
  }
  const key = SORTS[address.get("sort") ?? ""]?.[1];
  return key ? found.sort((a, b) => key(a) - key(b) || a - b) : found; // Infinity - Infinity is NaN: sort by task
}
