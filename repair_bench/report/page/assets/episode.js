// The trace viewer: one episode from its prompt to its end.

let shown; // the id of the episode on the page; null if there is none
let showing; // settles when the most recently requested episode is on the page
let asDiff = true;
let promptOpen = true; // as the reader left it in the previous episode

async function showEpisode() {
  const id = address.get("episode");
  const place = byId("episode");
  byId("view-episodes").classList.toggle("open", Boolean(id));
  if (id !== shown) {
    shown = id;
    if (!id) {
      place.replaceChildren(element("p.empty", {}, run.id.length ? "Choose an episode from the list, or press j for the first one." : "No attempts have been recorded yet."));
      return;
    }
    const episode = run.number.get(id);
    if (episode === undefined) {
      place.replaceChildren(element("p.empty", {}, "This run has no episode ", element("code", {}, id), "."));
      return;
    }
    const body = await texts(episode);
    if (shown !== id) return; // another episode has been opened in the meantime
    if (body === null) {
      place.replaceChildren(element("p.empty", {}, `The page of a large run contains the texts of a sample of episodes. The texts of ${id} are in attempts.parquet in the same folder.`));
      place.dataset.id = id;
      return;
    }
    place.replaceChildren(...head(episode, body), ...body.attempts.map((attempt, i) => showAttempt(episode, attempt, body.attempts[i - 1])));
    place.dataset.id = id;
    place.scrollTop = 0;
  }
  scrollToRow(run.number.get(id));
  markRow(id);
  showPlace();
}

function markRow(id) {
  for (const a of byId("list").querySelectorAll("a")) {
    if (a.dataset.id === id) a.setAttribute("aria-current", "true");
    else a.removeAttribute("aria-current");
  }
}

function head(episode, { prompt, attempts }) {
  const names = Object.fromEntries(["model", "framework", "suite", "category", "difficulty", "condition"].map((field) => [field, value(field, episode)]));
  const condition = run.conditions[value("condition", episode)];
  const twins = run.id.flatMap((id, other) => (other !== episode && run.root[other] === run.root[episode] ? [other] : []));
  const known = { tokens: run.tokens[episode]?.toLocaleString("en"), cost: run.cost[episode] === null ? null : `$${run.cost[episode].toFixed(4)}` };
  return [
    element("div.bar-top", {},
      element("a.back", { href: link({ episode: null, attempt: null }) }, "← List"),
      stepLink("Previous", -1), stepLink("Next", 1),
      copyButton()),
    element("h2", {}, `Task ${taskLabel(episode)}`, taskTitle(episode) && `: ${taskTitle(episode)}`, " ", element("span.ending", {}, ending(episode))),
    facts(names),
    facts({ sample: run.sample[episode], attempts: attempts.length, tokens: known.tokens ?? "unknown", cost: known.cost ?? "unknown", id: run.id[episode] }),
    twins.length ? element("p.note", {}, "Other arms with the same first answer: ", twins.map((other, i) => [i ? ", " : "",
      element("a", { href: link({ episode: run.id[other], attempt: null }) }, `${shortName("condition", value("condition", other))} (${ending(other)})`)]), ".") : null,
    condition && element("details.plain", {}, element("summary", {}, `Condition ${value("condition", episode)}`), pairs(condition)),
    promptPart(prompt),
    element("nav.attempts", { "aria-label": "Attempts" }, attempts.map((attempt, i) => {
      const [name, type] = run.kinds[run.paths[episode][i]];
      return element("a", { href: link({ attempt: attempt.number }), "data-number": attempt.number }, `${attempt.number} `, sign(name, type), element("span.word", {}, ` ${type}`));
    })),
  ].filter(Boolean);
}

function facts(values) {
  return element("p.facts", {}, Object.entries(values).map(([name, text]) => element("span", {}, `${name} `, element("b", {}, text))));
}

function promptPart(prompt) {
  const part = element("details.plain.prompt", { open: promptOpen }, element("summary", {}, "Prompt"), element("div", {}, prompt.map(([role, content]) => labelled(role, content))));
  part.addEventListener("toggle", () => {
    promptOpen = part.open;
  });
  return part;
}

function stepLink(words, step) {
  const other = neighbour(step);
  const here = found.includes(run.number.get(address.get("episode")));
  if (!here || other === undefined) return element("span.step.off", {}, words);
  return element("a.step", { href: link({ episode: run.id[other], attempt: null }) }, words);
}

function copyButton() {
  const button = element("button", { type: "button" }, "Copy link");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
  });
  return button;
}

function showAttempt(episode, attempt, before) {
  const title = attempt.number ? `Attempt ${attempt.number}: repair ${attempt.number}` : "Attempt 0: first answer";
  return element("section.attempt", { id: `attempt-${attempt.number}`, tabindex: "-1", "aria-label": title, class: `attempt${attempt.off_policy ? " off-policy" : ""}` },
    element("h3", {}, title, attempt.verdict && element(`span.badge.${slug(attempt.verdict.class)}`, {}, SIGNS[attempt.verdict.class], " ", attempt.verdict.type),
      attempt.fault && element(`span.badge.${slug("fault")}`, {}, SIGNS.fault, " fault")),
    attempt.off_policy && element("p.reason", {}, attempt.off_policy),
    facts(attempt.facts),
    attempt.feedback && showFeedback(attempt),
    attempt.thought && element("details.plain", {}, element("summary", {}, "Reasoning before the answer"), element("pre", { tabindex: "0" }, attempt.thought)),
    attempt.tried.length > 0 && showTried(attempt.tried),
    showCode(attempt, before),
    attempt.outcome && showOutcome(attempt),
    attempt.verdict && showVerdict(attempt.verdict),
    attempt.left && showLeft(attempt.left),
    attempt.fault && element("section.part", {}, element("h4", {}, "Infrastructure error"),
      element("p", {}, `${attempt.fault.boundary}, after ${attempt.fault.retries} retries. Earlier attempts count; the episode is retried on resume.`),
      labelled("message", attempt.fault.message)));
}

function showLeft({ bits, open }) {
  return element("section.part", {},
    element("h4", {}, "Remaining hypotheses ", element("small", {}, `${bits} bits: ${open.length === 1 ? "one hypothesis is" : `${open.length} hypotheses are`} consistent with all feedback so far`)),
    element("ul", {}, open.map((name) => element("li", {}, name))));
}

function showFeedback({ feedback, sent }) {
  return element("section.part", {},
    element("h4", {}, "Feedback received ", element("small", {}, `policy ${feedback.policy}; ${sent} messages sent`)),
    feedback.donor && element("p.note", {}, `Placebo feedback from source task ${feedback.donor}.`),
    feedback.leaks && element("p.note", {}, `${feedback.leaks}.`),
    feedback.text ? element("pre", { tabindex: "0" }, feedback.text) : element("p.note", {}, "None: independent resampling."));
}

function showTried(runs) {
  return element("section.part", {},
    element("h4", {}, "Tool runs before the answer ", element("small", {}, runs.length === 1 ? "1 program" : `${runs.length} programs`)),
    runs.map(({ code, shown }, i) => element("details.plain", {}, element("summary", {}, `Program ${i + 1}`), wholeCode(code), labelled("shown", shown))));
}

function showCode(attempt, before) {
  const comparable = typeof attempt.code === "string" && typeof before?.code === "string";
  const place = element("div.code-place");
  const toggle = comparable && element("button.toggle", { type: "button" });
  const draw = () => {
    place.replaceChildren(attempt.code === null ? element("p.note", {}, "The answer contains no code.") : comparable && asDiff ? diffCode(before.code, attempt.code) : wholeCode(attempt.code));
    if (comparable && asDiff && before.code === attempt.code) place.prepend(element("p.note", {}, "Code unchanged."));
    if (toggle) toggle.textContent = asDiff ? "Full code" : "Diff to the previous attempt";
  };
  if (toggle) toggle.addEventListener("click", toggleDiff);
  place.redraw = draw;
  draw();
  return element("section.part", {},
    element("h4", {}, comparable ? "Code, compared with the previous attempt" : "Code", toggle || null),
    place,
    attempt.answer !== null && element("details.plain", {}, element("summary", {}, `Full answer${attempt.extraction ? ` (code extraction: ${attempt.extraction})` : ""}`), element("pre", { tabindex: "0" }, attempt.answer)));
}

function toggleDiff() {
  asDiff = !asDiff;
  for (const place of document.querySelectorAll(".code-place")) place.redraw();
}

function showOutcome({ outcome, verdict }) {
  const own = outcome.traceback && !verdict?.texts.traceback ? labelled("traceback", outcome.traceback) : null;
  return element("section.part", {},
    element("h4", {}, "Outcome ", element("small", {}, outcome.status.replaceAll("_", " "))),
    own, outcome.stdout && labelled("printed", outcome.stdout));
}

// Scroll to the attempt that the address specifies.
function showPlace() {
  const number = address.get("attempt");
  for (const a of document.querySelectorAll("nav.attempts a")) {
    if (a.dataset.number === number) a.setAttribute("aria-current", "true");
    else a.removeAttribute("aria-current");
  }
  if (number === null || !/^\d+$/.test(number)) return;
  const section = byId(`attempt-${number}`);
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

// A key pressed before the texts are unpacked applies to the episode that is being opened.
async function openAttempt(step) {
  await showing;
  const numbers = [...document.querySelectorAll("nav.attempts a")].map((a) => a.dataset.number);
  const place = numbers.indexOf(address.get("attempt"));
  const next = numbers[place < 0 ? (step > 0 ? 0 : numbers.length - 1) : place + step];
  if (next !== undefined) go({ attempt: next }, { silently: true });
}
