// The theme: light, dark, or the system's; stored by the browser if possible.

const THEMES = ["system", "light", "dark"];
const THEME_SIGNS = { system: "◐", light: "○", dark: "●" };

function setTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = byId("theme");
  button.textContent = THEME_SIGNS[name];
  const words = `Colours: ${name === "system" ? "as the system" : name}`;
  button.setAttribute("aria-label", words);
  button.title = words;
}

function currentTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

function nextTheme() {
  const name = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  setTheme(name);
  try {
    localStorage.setItem("repair-bench-theme", name);
  } catch {} // browsers may not store data for local files
}

function startTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem("repair-bench-theme");
  } catch {} // as above
  setTheme(THEMES.includes(kept) ? kept : "system");
  byId("theme").addEventListener("click", nextTheme);
}
