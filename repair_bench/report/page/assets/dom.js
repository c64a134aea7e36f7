// Elements. Text only becomes text nodes, so model output is never parsed as markup.

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

// Show control characters as their pictures, and marks that change the writing direction as a replacement character.
function visible(text) {
  return String(text).replace(/\r\n/g, "\n").replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "\u2421" : "\ufffd";
  });
}

// element("a.button", { href: "#" }, "text", child, [more, children]); null and false are omitted.
function element(selector, attributes = {}, ...children) {
  const [tag, ...classes] = selector.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...nodes(children));
  return made;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(visible(child))));
}

function byId(id) {
  return document.getElementById(id);
}

function pairs(values) {
  return element("dl.pairs", {}, Object.entries(values).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}
