// Boxes that scroll can be reached and scrolled with the keyboard; the others are not tab stops.
const boxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
function watchBoxes() {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) boxes.observe(box);
}
new MutationObserver(watchBoxes).observe(document.body, { childList: true, subtree: true }); // the theme wraps tables late
watchBoxes();
