// The run: an index of all episodes in memory, and the texts of a few chunks, unpacked on demand.

const KEPT_CHUNKS = 6;
const chunks = new Map();
let run = null;

async function unpack(name) {
  const packed = Uint8Array.from(atob(byId(`block-${name}`).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function loadRun() {
  run = await unpack("index");
  run.number = new Map(run.id.map((id, number) => [id, number]));
}

// The texts of one episode: { prompt: [[role, content], ...], attempts: [...] }; null if the page does not contain them.
async function texts(episode) {
  const number = Math.floor(episode / run.chunk);
  if (!byId(`block-chunk-${number}`)) return null;
  const chunk = chunks.get(number) ?? unpack(`chunk-${number}`);
  chunks.delete(number);
  chunks.set(number, chunk); // the most recently used chunk comes last
  if (chunks.size > KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
  const { prompts, episodes } = await chunk;
  const body = episodes[episode % run.chunk];
  return { prompt: prompts[body.prompt], attempts: body.attempts };
}

function value(field, episode) {
  const { names, column } = run.fields[field];
  return nameOf(names[column[episode]]);
}

// The short name of a field's value; by default, the full name.
function shortName(field, name) {
  return run.fields[field].shown?.[name] ?? name;
}

function nameOf(name) {
  return name ?? "(none)";
}

function varies(field) {
  return run.fields[field].names.length > 1;
}

// The label of an episode within its task: "qiskit · sim/novice · sample 2"
function label(episode) {
  const parts = ["framework", "model", "condition"].filter((f) => f !== "condition" || varies(f)).map((f) => shortName(f, value(f, episode)));
  if (run.samples > 1) parts.push(`sample ${run.sample[episode]}`);
  return parts.join(" · ");
}

function taskLabel(episode) {
  const suite = value("suite", episode);
  const task = value("task", episode).slice(suite.length + 1);
  return varies("suite") ? `${shortName("suite", suite)} ${task}` : task;
}

// The title of the episode's task; null if unknown.
function taskTitle(episode) {
  return run.titles[run.fields.task.column[episode]];
}

const CUT_SHORT = { fault: "censored: infrastructure error", incomplete: "censored: not finished", "off policy": "censored: off policy" };

// "solved at 2", "not solved", or the reason why this is unknown
function ending(episode) {
  const state = run.state[episode];
  if (state === "counted") {
    const at = run.solved[episode];
    return at === null ? "not solved" : at === 0 ? "solved by the first answer" : `solved at ${at}`;
  }
  return CUT_SHORT[state] ?? `censored: ${state}`;
}
