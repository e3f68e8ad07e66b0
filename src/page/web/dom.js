// The only way to make elements: the service's data goes in as text, never as markup (spec/page.md, 1).

const SVG = 'http://www.w3.org/2000/svg';
const OF_SVG = new Set(
  ['svg', 'g', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'text', 'title', 'desc', 'use', 'defs'],
);

/** Sets `props`: `on` listeners, `class`, `dataset`, properties of the element, otherwise attributes. */
function give(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, heard] of Object.entries(value)) node.addEventListener(event, heard);
    else if (name === 'class') node.setAttribute('class', value);
    else if (name === 'dataset') Object.assign(node.dataset, value);
    else if (name === 'style')
      for (const [property, set] of Object.entries(value)) node.style.setProperty(property, set);
    else if (name in node && !(node instanceof SVGElement) && !name.startsWith('aria-')) node[name] = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  return node;
}

/** The children without empty ones, with nested lists flattened. */
const present = children =>
  children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false);

/** An element of HTML or SVG. Children are elements, texts, lists of these, or empty values. */
export function el(name, props = {}, ...children) {
  const isOfSvg = OF_SVG.has(name) && name !== 'title';
  const made = isOfSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  give(made, props);
  made.append(...present(children));
  return made;
}

/** The same for `title` inside an SVG, which has another element of that name in HTML. */
export function svgTitle(words) {
  const made = document.createElementNS(SVG, 'title');
  made.textContent = words;
  return made;
}

/**
 * An element that keeps its height while its parts come and go, so that its neighbours keep their place. This holds for
 * its present width.
 */
export function keepHeight(node) {
  const { offsetWidth: width, offsetHeight: height } = node;
  if (node.keptWidth !== width) {
    node.style.minHeight = '';
    Object.assign(node, { keptWidth: width, keptHeight: 0 });
  }
  if (height <= node.keptHeight) return;
  node.keptHeight = height;
  node.style.minHeight = `${height}px`;
}

/** Replaces all children of `node` with these. */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}
