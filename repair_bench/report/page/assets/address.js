// The address: the part after "#" contains the state of the page, so a link restores it.

let address = new URLSearchParams(location.hash.slice(1));

function readAddress() {
  address = new URLSearchParams(location.hash.slice(1));
}

function link(changes) {
  const next = new URLSearchParams(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  return `#${next}`;
}

// `silently`: without an entry in the browser's history.
function go(changes, { silently = false } = {}) {
  const target = link(changes);
  if (target === location.hash) return;
  if (silently) {
    history.replaceState(null, "", target);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = target;
  }
}
