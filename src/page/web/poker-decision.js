// The buttons of a turn at poker: fold, check, call; a bet or raise by a slider, a field, parts of the pot, or all-in,
// within the bounds that the house offers (spec/games/poker-table.md, "Options"). At limit there is one amount.

import { el } from './dom.js';
import { drawnOnce } from './felt.js';
import { potRaise } from './poker-pots.js';

const KEYS = { fold: 'f', check: 'k', call: 'c', bet: 'b', raise: 'r', show: 's', muck: 'm' };

function button(word, words, act) {
  const key = KEYS[word];
  return el('button', {
    type: 'button', class: `choice choice-${word}`, 'aria-keyshortcuts': key, dataset: { key, action: word },
      on: { click: act },
  }, el('span', { class: 'choice-words' }, words), el('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()));
}

/** Useful amounts for buttons: parts of the pot within the bounds, and the bounds themselves. */
function suggestions(offer, view, seat, ctx) {
  const [least, most] = offer.to;
  const toCall = Math.max(0, view.level - seat.bet);
  const list = [{ to: least, words: ctx.say('poker.least') }];
  const parts = [[1 / 3, '⅓'], [1 / 2, '½'], [2 / 3, '⅔'], [1, ctx.say('poker.whole_pot')]];
  for (const [part, words] of parts) {
    const to = potRaise(part, view.pot, seat.bet, toCall);
    if (to > least && to < most) list.push({ to, words });
  }
  const allIn = seat.bet + seat.stack === most;
  list.push({ to: most, words: ctx.say(allIn ? 'poker.all_in' : 'poker.most'), allIn });
  return list;
}

/** A field for amounts as people read them: whole units of `unit` with decimals; the amount sent is never a float. */
function parse(text, unit) {
  const digits = unit === 1 ? 0 : Math.round(Math.log10(unit));
  const plain = text.replaceAll(/[\s',_](?=\d{3}\b)/g, '');
  const found = new RegExp(`^\\s*(\\d{1,13})(?:[.,](\\d{0,${digits}}))?\\s*$`).exec(plain);
  if (!found) return null;
  return Number(found[1]) * unit + (digits ? Number((found[2] || '').padEnd(digits, '0')) : 0);
}

function format(amount, unit) {
  if (unit === 1) return String(amount);
  const digits = Math.round(Math.log10(unit));
  const text = String(amount).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function sizing(offer, view, seat, ctx) {
  const [least, most] = offer.to;
  const unit = ctx.unit || 1;
  const word = offer.action;
  const step = Math.max(1, Math.min(ctx.rules.game.poker.blinds.small, most - least));
  let to = least;
  const act = () => ctx.act({ [word]: { to } }, offer.cost - (most - to));
  const doing = button(word, '', act);
  const slider = el('input', {
    type: 'range', class: 'raise-slider', 'aria-label': ctx.say('poker.amount'), min: '0',
      max: String(Math.ceil((most - least) / step)),
    step: '1', value: '0', on: { input: () => set(Math.min(most, least + Number(slider.value) * step), slider) },
  });
  const field = el('input', {
    type: 'text', inputMode: 'decimal', class: 'raise-field', 'aria-label': ctx.say('poker.amount_exact'),
      autocomplete: 'off',
    on: {
      change: () => {
        const amount = parse(field.value, unit);
        set(amount === null ? to : Math.min(most, Math.max(least, amount)), null);
      },
      keydown: event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        const amount = parse(field.value, unit);
        if (amount === null || amount < least || amount > most) return void field.dispatchEvent(new Event('change'));
        set(amount, null);
        act();
      },
    },
  });
  const quick = suggestions(offer, view, seat, ctx).map(one => el('button', {
    type: 'button', class: one.allIn ? 'quick all-in' : 'quick', dataset: { to: String(one.to) },
      on: { click: () => set(one.to, null) },
  }, one.words, el('span', { class: 'visually-hidden' }, ` ${ctx.money(one.to)}`)));

  function set(amount, from) {
    to = amount;
    if (from !== slider) slider.value = String(to === most ? slider.max : Math.floor((to - least) / step));
    slider.setAttribute('aria-valuetext', ctx.money(to));
    field.value = format(to, unit);
    const allIn = seat.bet + seat.stack === to;
    const said = allIn ? 'poker.do_all_in' : word === 'bet' ? 'poker.do_bet' : 'poker.do_raise';
    doing.querySelector('.choice-words').textContent = ctx.say(said, { amount: ctx.money(to) });
    for (const one of quick) one.setAttribute('aria-pressed', String(Number(one.dataset.to) === to));
  }
  set(least, null);
  const fixed = least === most;
  return {
    doing,
    panel: fixed ? null : el('div', { class: 'sizing', role: 'group', 'aria-label': ctx.say('poker.amount') },
      el('div', { class: 'quick-row' }, quick), el('div', { class: 'slider-row' }, slider, field)),
  };
}

export const decision = (asked, given) => drawnOnce(asked, given, ctx => choices(asked, ctx));

function choices(decision, ctx) {
  const view = ctx.round?.game;
  const seat = view?.seats.find(one => one.player === decision.player) ?? { bet: 0, stack: 0 };
  const buttons = [];
  let panel = null;
  // If a check is free, a fold by mistake is impossible.
  const isFree = decision.options.some(({ action }) => action === 'check');
  for (const offer of decision.options) {
    if (isFree && offer.action === 'fold') continue;
    const { action, cost } = offer;
    if (offer.to) {
      const made = sizing(offer, view ?? { level: 0, pot: 0 }, seat, ctx);
      buttons.push(made.doing);
      panel = made.panel;
    } else if (action === 'call') {
      const all = cost === seat.stack;
      buttons.push(button('call', ctx.say(all ? 'poker.do_call_all' : 'poker.do_call', { amount: ctx.money(cost) }),
        () => ctx.act('call', cost)));
    } else {
      buttons.push(button(action, ctx.say(`poker.do_${action}`), () => ctx.act(action, cost)));
    }
  }
  // Fold is shown first and comes last for the keyboard: a focused button at a new turn must not fold by an accidental
  // press.
  const folding = buttons.splice(0, decision.options[0]?.action === 'fold' && !isFree ? 1 : 0);
  return el('div', { class: 'game-choices poker-choices' }, el('div', { class: 'choice-row' }, buttons, folding),
    panel);
}
