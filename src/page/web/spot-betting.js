// Bets on named spots, as at baccarat and roulette: a tray of chips, spots that take them, and undo. Every spot is a
// button with its name; arrows move between them, one of them is in the tab order (roving tabindex).

import { el, fill } from './dom.js';
import { chip, denominations, short, stack } from './chip.js';
import { listed } from './words.js';

/** The chips on the spots, by table and round: they are kept when the table is drawn again. */
const books = new Map();

const numberOf = table => (table.window ? table.window.round_no : table.next_round);

/** This player's chips on the spots of a table for the next round, sent or not: stakes by spot. */
export function laidAt(table) {
  const book = books.get(table.table);
  return new Map(book?.number === numberOf(table) ? [...stakes(book)].map(([spot, { stake }]) => [spot, stake]) : []);
}

function bookOf(table) {
  const number = numberOf(table);
  const old = books.get(table.table);
  if (old && old.number === number) return old;
  const last = old && (old.sent.size ? old.sent : old.last);
  const book = { number, chips: [], sent: new Map(), last: last || new Map(), value: old ? old.value : null,
    taking: false };
  books.set(table.table, book);
  return book;
}

/** Stakes by spot, in the order of the first bet on each. */
function stakes(book) {
  const found = new Map();
  for (const { spot, value } of book.chips) {
    const at = found.get(spot) || { stake: 0, chips: [] };
    found.set(spot, { stake: at.stake + value, chips: [...at.chips, value] });
  }
  return found;
}

/** Moves of the arrow keys by the buttons' positions: the nearest one in that direction. */
function towards(from, key, buttons) {
  const box = from.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null;
  for (const other of buttons) {
    if (other === from) continue;
    const to = other.getBoundingClientRect();
    if (!to.width) continue;
    const [u, v] = [to.left + to.width / 2 - x, to.top + to.height / 2 - y];
    const ahead = u * dx + v * dy;
    const aside = Math.abs(u * dy) + Math.abs(v * dx);
    if (ahead < 1) continue;
    const distance = ahead + 3 * aside;
    if (!best || distance < best.distance) best = { other, distance };
  }
  return best && best.other;
}

/**
 * `spots`: `{spot, name, pays?, least?, words?}` each; `layout(buttons)` places the buttons, by spot, and returns the
 * element; `closed(table)`, if a game has it, the spots that now belong to others. The result is a game's `betting`.
 */
export function spotBetting(table, ctx, { name, kind, spots, layout, shape, closed = () => new Set() }) {
  const rules = table.rules.table;
  const values = denominations(rules);
  const book = bookOf(table);
  if (book.value === null || !values.includes(book.value)) book.value = values[Math.min(1, values.length - 1)];
  const unit = ctx.unit || 1;
  const bySpot = new Map(spots.map(one => [one.spot, one]));
  const buttons = new Map();
  const status = el('p', { class: 'bet-status', role: 'status' });
  const total = el('output', { class: 'bet-total' });
  let now = table;
  const others = () => (now.window ? now.window.bets.filter(bet => bet.player !== ctx.me) : []);

  const least = one => Math.max(rules.stake_min, one.least || 0);

  function tell(words) {
    status.textContent = words;
  }

  function put(spot) {
    const laid = stakes(book);
    const before = laid.get(spot)?.stake || 0;
    const one = bySpot.get(spot);
    if (book.taking) return takeBack(spot);
    if (!before && laid.size >= rules.bets_per_player) return tell(ctx.say('bet.most_spots',
      { count: rules.bets_per_player }));
    if (before + book.value > rules.stake_max) return tell(ctx.say('bet.most', { amount: ctx.money(rules.stake_max) }));
    book.chips.push({ spot, value: book.value });
    const stake = before + book.value;
    tell(stake < least(one)
      ? ctx.say('bet.least_there', { spot: one.name, amount: ctx.money(least(one)) })
      : ctx.say('bet.put', { spot: one.name, amount: ctx.money(stake) }));
    return draw();
  }

  function takeBack(spot) {
    const at = book.chips.findLastIndex(one => one.spot === spot);
    if (at < 0) return tell(ctx.say('bet.nothing_there', { spot: bySpot.get(spot).name }));
    book.chips.splice(at, 1);
    tell(ctx.say('bet.taken', { spot: bySpot.get(spot).name, amount: ctx.money(stakes(book).get(spot)?.stake || 0) }));
    return draw();
  }

  function undo() {
    const last = book.chips.pop();
    if (last) tell(ctx.say('bet.taken', {
      spot: bySpot.get(last.spot).name, amount: ctx.money(stakes(book).get(last.spot)?.stake || 0),
    }));
    draw();
  }

  function double() {
    for (const { stake } of stakes(book).values()) {
      if (2 * stake > rules.stake_max) return tell(ctx.say('bet.most', { amount: ctx.money(rules.stake_max) }));
    }
    book.chips.push(...book.chips.map(one => ({ ...one })));
    tell(ctx.say('bet.doubled'));
    return draw();
  }

  function label(one, stake) {
    const words = one.pays ? ctx.say('bet.spot', { spot: one.name, pays: one.pays }) : one.name;
    return stake ? listed([words, ctx.say('bet.your_stake', { amount: ctx.money(stake) })]) : words;
  }

  function draw() {
    const laid = stakes(book);
    const theirs = new Map();
    for (const bet of others()) for (const { spot, stake } of bet.bets) theirs.set(spot,
      (theirs.get(spot) || 0) + stake);
    const shut = closed(now);
    for (const [spot, button] of buttons) {
      const one = bySpot.get(spot);
      const stake = laid.get(spot)?.stake || 0;
      button.hidden = shut.has(spot) && !stake;
      button.querySelector('.spot-label').textContent = label(one, stake);
      button.classList.toggle('has-bet', stake > 0);
      const chips = button.querySelector('.laid');
      fill(chips,
        theirs.has(spot) && stack(theirs.get(spot), values, { kind: 'theirs' }),
        stake > 0 && stack(stake, values, { words: short(stake, unit) }));
    }
    const shown = [...buttons.values()].filter(button => !button.hidden);
    if (shown.length && !shown.some(button => button.tabIndex === 0)) rove(shown[0]);
    const sum = [...laid.values()].reduce((all, { stake }) => all + stake, 0);
    total.textContent = ctx.say('bet.total', { amount: ctx.money(sum) });
    undoing.disabled = doubling.disabled = taking.disabled = !book.chips.length;
    book.taking &&= book.chips.length > 0;
    taking.setAttribute('aria-pressed', String(book.taking));
    root.classList.toggle('taking', book.taking);
    // The felt shows the chips, too.
    root.dispatchEvent(new Event('laid', { bubbles: true }));
  }

  function rove(button) {
    for (const other of buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }

  function keys(event) {
    const button = event.target.closest('[data-spot]');
    if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
    const list = [...buttons.values()].filter(one => !one.hidden);
    const next = event.key.startsWith('Arrow') ? towards(button, event.key, list)
      : event.key === 'Home' ? list[0] : event.key === 'End' ? list.at(-1) : null;
    if (next) {
      rove(next);
      next.focus();
    } else if (event.key === 'Delete' || event.key === 'Backspace' || event.key === '-') {
      takeBack(button.dataset.spot);
    } else if (!event.key.startsWith('Arrow')) {
      return;
    }
    event.preventDefault();
  }

  /** The print on a spot is for the eye: a screen reader reads the label, with the stake on it. */
  function faceOf(one) {
    const printed = shape ? shape(one) : [
      el('span', { class: 'spot-name' }, one.name), one.pays && el('span', { class: 'pays' }, one.pays),
    ];
    const parts = [printed].flat().filter(Boolean);
    for (const part of parts) part.setAttribute('aria-hidden', 'true');
    return parts;
  }

  for (const one of spots) {
    const button = el('button', {
      type: 'button', class: `bet-spot ${one.kind || ''}`.trim(), dataset: { spot: one.spot }, tabIndex: buttons.size
        ? -1 : 0,
      on: {
        click: () => put(one.spot),
        // A mouse leaves the focus in place: Enter, as shown, then deals instead of laying a second chip.
        mousedown: event => event.preventDefault(),
        focus: () => rove(button),
        contextmenu: event => {
          event.preventDefault();
          takeBack(one.spot);
        },
      },
    },
      el('span', { class: 'visually-hidden spot-label' }), faceOf(one),
      el('span', { class: 'laid', 'aria-hidden': 'true' }));
    buttons.set(one.spot, button);
  }

  const group = `chips-${table.table}`;
  const tray = el('fieldset', { class: 'chip-tray' },
    el('legend', { class: 'visually-hidden' }, ctx.say('bet.chip')),
    values.map(value => el('label', { class: 'chip-choice' },
      el('input', {
        type: 'radio', name: group, value: String(value), checked: value === book.value,
        on: { change: () => {
          book.value = value;
          book.taking = false;
          draw();
        } },
      }),
      chip(value, values, short(value, unit)), el('span', { class: 'visually-hidden' }, ctx.money(value)))));
  const undoing = el('button', { type: 'button', class: 'bet-tool', on: { click: undo } }, ctx.say('bet.undo'));
  const doubling = el('button', { type: 'button', class: 'bet-tool', on: { click: double } }, ctx.say('bet.double'));
  const taking = el('button', { type: 'button', class: 'bet-tool', 'aria-pressed': 'false', on: { click: () => {
    book.taking = !book.taking;
    tell(book.taking ? ctx.say('bet.take_which') : '');
    draw();
  } } }, ctx.say('bet.take_back'));

  const root = el('div', { class: `spot-betting ${kind}` },
    el('div', { class: 'bet-spots', role: 'group', 'aria-label': name, on: { keydown: keys } }, layout(buttons)),
    el('div', { class: 'bet-bar' },
      el('div', { class: 'bet-tray' }, tray, el('div', { class: 'bet-tools' }, undoing, taking, doubling)),
      el('div', { class: 'bet-sum' }, total, status)));
  draw();

  return {
    element: root,
    hasLast: book.last.size > 0,
    laid: () => [...stakes(book)].map(([spot, { stake }]) => ({ spot, stake })),
    /** Others bet or sat down: their chips appear, and the player's focus and chips stay in place. */
    others(table) {
      const shown = () => JSON.stringify([others(), [...closed(now)]]);
      const before = shown();
      now = table;
      if (shown() !== before) draw();
    },
    bets() {
      const laid = stakes(book);
      book.sent = new Map([...laid].map(([spot, { chips }]) => [spot, chips]));
      const named = rules.chips && rules.chips.length;
      return [...laid].map(([spot, { stake, chips }]) => (named ? { spot, stake, chips } : { spot, stake }));
    },
    clear() {
      book.chips = [];
      tell(ctx.say('bet.cleared'));
      draw();
    },
    again() {
      book.chips = [...book.last].flatMap(([spot, chips]) => chips.map(value => ({ spot, value })));
      tell(ctx.say('bet.as_before'));
      return draw();
    },
  };
}
