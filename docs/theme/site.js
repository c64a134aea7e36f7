// Boxes that scroll can be reached and scrolled with the keyboard; the others are not tab stops.
function reach(box) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}
const boxes = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target)));
function watchBoxes() {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    reach(box); // its content may have changed, but not its size
    boxes.observe(box);
  }
}
new MutationObserver(watchBoxes).observe(document.body, { childList: true, subtree: true }); // the theme wraps tables late
document.fonts.ready.then(watchBoxes);
watchBoxes();
