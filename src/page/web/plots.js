// Small plots as our own SVG: counts compared with chance, shares with their interval next to an exact figure, counts
// over time. Each has a title for readers who cannot see it; colour is never the only sign.

import { el, svgTitle } from './dom.js';

/** A narrow plot is drawn narrow on screen: letters keep their size. */
const wide = () => (matchMedia('(max-width: 640px)').matches ? 340 : 520);

const text = (x, y, words, anchor = 'middle', kind = '') =>
  el('text', { x, y, 'text-anchor': anchor, class: kind || null }, words);
const frame = (width, height, title, ...children) =>
  el(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': title },
    svgTitle(title),
    children,
  );

/** Bars of `[{label, count}]` next to the band that chance allows for each, `{mean, low, high}`. */
export function frequencies(bars, { mean, low, high }, title) {
  const width = wide(),
    left = 34,
    top = 10,
    height = 150,
    bottom = top + height,
    step = (width - left - 6) / bars.length;
  const most = Math.max(1, high, ...bars.map(({ count }) => count)) * 1.08;
  const y = count => bottom - (count / most) * height;
  return frame(
    width,
    bottom + 22,
    title,
    [0, most / 2].map(count => [
      el('line', { x1: left, x2: width, y1: y(count), y2: y(count), class: 'rule' }),
      text(left - 4, y(count) + 4, String(Math.round(count)), 'end'),
    ]),
    el('rect', {
      x: left,
      width: width - left - 6,
      y: y(high),
      height: Math.max(1, y(low) - y(high)),
      class: 'band',
    }),
    bars.map(({ label, count }, i) => {
      const x = left + i * step,
        isOff = count < low || count > high;
      return [
        el('rect', {
          x: x + step * 0.2,
          width: step * 0.6,
          y: y(count),
          height: bottom - y(count),
          class: isOff ? 'bar off' : 'bar',
        }),
        isOff && text(x + step / 2, y(count) - 2, '!', 'middle', 'off'),
        (step > 15 || i % (step > 10 ? 2 : 4) === 0) && text(x + step / 2, bottom + 15, label),
      ];
    }),
    el('line', { x1: left, x2: width - 6, y1: y(mean), y2: y(mean), class: 'mean' }),
  );
}

/** Rows `[{label, value, low, high, exact: [{value, name}]}]` of shares in percent. */
export function intervals(rows, title) {
  const width = wide(),
    left = 128,
    right = 10,
    step = 26,
    height = rows.length * step + 24;
  const all = rows.flatMap(({ value, low, high, exact }) => [value, low, high, ...exact.map(one => one.value)]);
  const reach = Math.min(90, Math.max(4, ...all.map(value => Math.abs(value - 100)))) * 1.1,
    from = 100 - reach,
    to = 100 + reach;
  const x = value => left + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (width - left - right);
  const ticks = [from + (to - from) / 6, 100, to - (to - from) / 6];
  return frame(
    width,
    height,
    title,
    ticks.map(value => [
      el('line', {
        x1: x(value),
        x2: x(value),
        y1: 4,
        y2: height - 20,
        class: value === 100 ? 'rule strong' : 'rule',
      }),
      text(x(value), height - 6, `${value.toFixed(reach < 10 ? 1 : 0)} %`),
    ]),
    rows.map(({ label, value, low, high, exact }, i) => {
      const y = 14 + i * step,
        isOff = exact.length === 1 && (exact[0].value < low || exact[0].value > high);
      return [
        text(left - 8, y + 4, label, 'end'),
        el('line', { x1: x(low), x2: x(high), y1: y, y2: y, class: isOff ? 'range off' : 'range' }),
        el('circle', { cx: x(value), cy: y, r: 4.5, class: isOff ? 'dot off' : 'dot' }),
        exact.map(one => el('path', { d: `M${x(one.value)} ${y - 6}l6 6l-6 6l-6 -6z`, class: 'exact' })),
      ];
    }),
  );
}

/** Columns `[{label, parts: [{count, kind}]}]`, stacked. */
export function columns(list, title) {
  const width = wide(),
    left = 34,
    top = 8,
    height = 110,
    bottom = top + height,
    step = (width - left - 6) / Math.max(1, list.length);
  const most = Math.max(1, ...list.map(({ parts }) => parts.reduce((all, { count }) => all + count, 0)));
  const tall = count => (count / most) * height;
  return frame(
    width,
    bottom + 20,
    title,
    [0, most].map(count => [
      el('line', { x1: left, x2: width, y1: bottom - tall(count), y2: bottom - tall(count), class: 'rule' }),
      text(left - 4, bottom - tall(count) + 4, String(count), 'end'),
    ]),
    list.map(({ label, parts }, i) => {
      let y = bottom;
      return [
        parts
          .filter(({ count }) => count)
          .map(({ count, kind }) => {
            y -= tall(count);
            return el('rect', {
              x: left + i * step + step * 0.15,
              width: step * 0.7,
              y,
              height: tall(count),
              class: `part ${kind}`,
            });
          }),
        (i === 0 || i === list.length - 1) &&
          text(left + i * step + step / 2, bottom + 15, label, i === 0 ? 'start' : 'end'),
      ];
    }),
  );
}
