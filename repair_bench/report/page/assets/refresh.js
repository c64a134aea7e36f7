// The page of an active run reloads in place; the address contains the view.

const SCROLLED = ["map", "list", "episode"]; // elements that scroll separately from the page
const KEPT_PLACES = "repair-bench-places";

function keepPlaces() {
  const places = { page: scrollY, ...Object.fromEntries(SCROLLED.map((id) => [id, byId(id).scrollTop])) };
  try {
    sessionStorage.setItem(KEPT_PLACES, JSON.stringify(places));
  } catch {} // browsers may not store data for local files
}

function restorePlaces() {
  let places = null;
  try {
    places = JSON.parse(sessionStorage.getItem(KEPT_PLACES));
    sessionStorage.removeItem(KEPT_PLACES);
  } catch {} // as above
  if (places === null) return;
  for (const id of SCROLLED) byId(id).scrollTop = places[id];
  scrollTo({ top: places.page, behavior: "instant" });
}

// Wait while the reader types, selects text or reads the help, and while the tab is hidden.
function isBusy() {
  return (
    document.hidden ||
    byId("help").open ||
    !getSelection().isCollapsed ||
    document.activeElement.matches("input, select, textarea")
  );
}

function startRefresh() {
  const seconds = Number(document.body.dataset.refresh ?? 0);
  if (!seconds) return;
  setTimeout(function again() {
    if (isBusy()) {
      setTimeout(again, 1000);
      return;
    }
    keepPlaces();
    location.reload();
  }, 1000 * seconds);
}
