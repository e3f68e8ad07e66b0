// Redraws a view without a flicker: existing parts are changed where they differ, new ones come in with `fresh` (a
// movement of games.css), missing ones go. An element is identified by `data-id` among its siblings, otherwise by its
// place. Elements with `data-whole` (a card with its seal, which has listeners) are replaced whole if they differ.

const kept = new Map();
const MOST_KEPT = 8;

/** The element stored under `key`, changed to look like `drawn`; the first time `drawn` itself, without movement. */
export function redraw(key, drawn) {
  const old = kept.get(key);
  kept.delete(key);
  if (old && old.nodeName === drawn.nodeName) change(old, drawn);
  kept.set(key, old && old.nodeName === drawn.nodeName ? old : drawn);
  while (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return kept.get(key);
}

function move(node, name) {
  if (!(node instanceof Element)) return;
  node.classList.add(name);
  const over = event => {
    if (event.target !== node) return;
    node.classList.remove(name);
    node.removeEventListener('animationend', over);
    node.removeEventListener('animationcancel', over);
  };
  node.addEventListener('animationend', over);
  node.addEventListener('animationcancel', over);
}

/**
 * Copies the classes and attributes of `drawn`; running movements continue, and parts opened by a person stay open.
 * Styles go through the object model (spec/page.md, 1).
 */
function attributes(old, drawn) {
  const moving = ['fresh', 'turned'].filter(name => old.classList.contains(name));
  const theirs = name => name === 'style' || (name === 'open' && old.nodeName === 'DETAILS');
  for (const { name } of [...old.attributes]) if (!theirs(name) && !drawn.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of drawn.attributes) {
    if (!theirs(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style.cssText !== drawn.style.cssText) old.style.cssText = drawn.style.cssText;
  for (const name of moving) old.classList.add(name);
}

/** Replaces `old` with `drawn`; the focus inside is restored. */
function replace(old, drawn) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const way = [];
  for (let node = focused; node
    && node !== old; node = node.parentNode) way.unshift([...node.parentNode.children].indexOf(node));
  old.replaceWith(drawn);
  if (!focused) return;
  const found = way.reduce((node, at) => node && node.children[at], drawn);
  if (found && found.focus) found.focus({ preventScroll: true });
}

/** The `dataset.face` of a whole element tells which side is up: a change means that the card was turned. */
function whole(old, drawn) {
  const turned = old.dataset.face !== drawn.dataset.face;
  for (const one of [old, drawn]) one.classList.remove('turned', 'fresh');
  if (old.isEqualNode(drawn)) return;
  replace(old, drawn);
  if (turned) move(drawn, 'turned');
}

/**
 * The existing child for each drawn child: by `data-id`, otherwise the next of its kind without one.
 */
function matched(old, drawn) {
  const byId = new Map();
  const nameless = [];
  for (const child of old.childNodes) {
    if (child.dataset && child.dataset.id) byId.set(child.dataset.id, child);
    else nameless.push(child);
  }
  return [...drawn.childNodes].map(child => {
    const id = child.dataset && child.dataset.id;
    const at = id ? -1 : nameless.findIndex(other => other.nodeName === child.nodeName);
    const found = id ? byId.get(id) : nameless[at];
    if (!found || found.nodeName !== child.nodeName) return { child, found: null };
    if (id) byId.delete(id);
    else nameless.splice(0, at + 1);
    return { child, found };
  });
}

function change(old, drawn) {
  if (drawn.dataset && drawn.dataset.whole !== undefined) return whole(old, drawn);
  attributes(old, drawn);
  const pairs = matched(old, drawn);
  const staying = new Set(pairs.map(pair => pair.found));
  for (const child of [...old.childNodes]) if (!staying.has(child)) child.remove();
  let at = old.firstChild;
  for (const { child, found } of pairs) {
    const node = found || child;
    if (node === at) at = at.nextSibling;
    else old.insertBefore(node, at);
    if (!found) {
      if (child.dataset && child.dataset.id) move(child, 'fresh');
    } else if (node.nodeType !== Node.ELEMENT_NODE) {
      if (node.nodeValue !== child.nodeValue) node.nodeValue = child.nodeValue;
    } else {
      change(node, child);
    }
  }
  return undefined;
}
