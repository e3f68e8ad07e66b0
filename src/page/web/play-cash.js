// At a cash table: chips to sit down with, sitting out, adding chips, leaving with them.

export { aheadChoices, mayChooseAhead, takeAhead } from './play-ahead.js';
import { el } from './dom.js';
import { money, say } from './words.js';
import { session } from './session.js';
import { isAlone } from './play-status.js';
import { timeWords } from './trouble.js';

/** The actions at a cash table or a tournament's: their name, their key, how they are drawn. */
export function cashState(room) {
  const { view, round } = room.table,
    me = session.player,
    seat = view.cash.seats.find(one => one.player === me);
  if (view.tournament)
    return {
      name: 'tournament',
      key: [!!seat, room.movedTo],
      make: () =>
        el(
          'p',
          { class: 'soft' },
          room.movedTo
            ? say('play.moved', { table: room.movedTo })
            : say(seat ? 'play.tournament_seat' : 'play.watching'),
          ' ',
          room.movedTo && [el('a', { href: `/play/${room.movedTo}` }, room.movedTo), ' '],
          el('a', { href: `/tournament/${view.tournament.tournament}` }, view.tournament.tournament),
        ),
    };
  if (!seat)
    return {
      name: 'buy_in',
      key: [view.cash.seats.map(one => one.seat), view.cash.own?.blocked_until],
      make: () => buyIn(room),
    };
  const inHand =
    round && ['awaiting_reveals', 'open'].includes(round.phase) && round.contributors.some(one => one.player === me);
  return {
    name: 'seated',
    key: [seat.sitting_out, seat.leaving, inHand, seat.stack, seat.top_up, seat.owes, isAlone(view)],
    make: () => seated(room, seat, inHand),
  };
}

function buyIn(room) {
  const { view } = room.table,
    { table } = view.rules,
    blocked = view.cash.own?.blocked_until;
  const taken = new Set(view.cash.seats.map(seat => seat.seat)),
    most = Math.min(table.stake_max, session.reach ?? table.stake_max);
  const free = Array.from({ length: table.seats }, (_, i) => i + 1).filter(seat => !taken.has(seat));
  if (blocked && blocked > room.table.now())
    return el('p', { class: 'notice warn' }, say('play.blocked', { until: timeWords(blocked) }));
  if (!free.length)
    return el(
      'div',
      { class: 'row' },
      el('p', {}, say('play.full')),
      el(
        'button',
        { type: 'button', class: 'button', on: { click: () => room.duties.wait() } },
        say('play.wait_seat'),
      ),
    );
  if (most < table.stake_min)
    return el('p', { class: 'notice warn' }, say('play.poor', { least: money(table.stake_min) }));
  const usual = Math.min(most, Math.floor((table.stake_min + table.stake_max) / 2));
  const amount = el('input', {
    type: 'number',
    min: table.stake_min,
    max: table.stake_max,
    step: table.stake_step,
    value: Math.max(table.stake_min, usual - (usual % table.stake_step)),
    inputMode: 'numeric',
  });
  const seat = el(
    'select',
    {},
    free.map(number => el('option', { value: number }, String(number))),
  );
  const wait = el('input', { type: 'checkbox' });
  const sit = () =>
    room.duties.seat({
      seat: Number(seat.value),
      buy_in: Number(amount.value),
      client: 'browser',
      ...(wait.checked ? { entry: 'wait' } : {}),
    });
  const form = el(
    'form',
    { class: 'buy-in' },
    el('label', { class: 'field' }, say('play.seat'), seat),
    el(
      'label',
      { class: 'field' },
      say('play.buy_in', { least: money(table.stake_min), most: money(table.stake_max) }),
      amount,
    ),
    el('label', { class: 'check' }, wait, say('play.wait_blind')),
    el('button', { class: 'button big', type: 'submit' }, say('play.sit_down')),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    sit();
  });
  return form;
}

const leaveButton = ({ duties }, inHand) =>
  el(
    'button',
    {
      type: 'button',
      class: 'quiet leave',
      on: {
        click: () => {
          if (confirm(say(inHand ? 'play.leave_hand' : 'play.leave_early'))) duties.leave();
        },
      },
    },
    say('play.leave'),
  );

const sitOutButton = ({ duties }, kind) =>
  el('button', { type: 'button', class: kind, on: { click: () => duties.sitOut() } }, say('play.sit_out'));

/** Beside the choices of one's own turn: the ways out, small, so that no thumb takes one for a choice. */
export function waysOut(room) {
  const { view } = room.table,
    seat = view.tournament ? null : view.cash.seats.find(one => one.player === session.player);
  if (!seat) return null;
  return el(
    'div',
    { class: 'ways-out' },
    !seat.sitting_out && sitOutButton(room, 'quiet'),
    !seat.leaving && leaveButton(room, true),
  );
}

function seated(room, seat, inHand) {
  const { duties, table } = room,
    { table: rules } = table.rules;
  const space = rules.stake_max - seat.stack;
  const topUp = () =>
    ask(say('play.top_up'), Math.min(space, session.reach ?? space), amount => duties.addChips(amount));
  return el(
    'div',
    { class: 'cash-bar' },
    el(
      'p',
      { class: 'soft' },
      seat.leaving
        ? say('play.leaving')
        : seat.sitting_out
          ? say('play.sits_out')
          : inHand
            ? say('play.in_round')
            : say(isAlone(table.view) ? 'play.wait_player' : 'play.wait_hand'),
    ),
    el(
      'div',
      { class: 'row' },
      seat.sitting_out
        ? el(
            'button',
            { type: 'button', class: 'button', dataset: { key: 'i' }, on: { click: () => duties.seat({}) } },
            say('play.sit_in'),
            el('kbd', { 'aria-hidden': 'true' }, 'I'),
          )
        : sitOutButton(room, 'button second'),
      space > 0 &&
        !seat.leaving &&
        el('button', { type: 'button', class: 'button second', on: { click: topUp } }, say('play.top_up')),
      !seat.leaving && leaveButton(room, inHand),
    ),
  );
}

/** An amount, in a dialog. */
function ask(words, most, then) {
  const field = el('input', { type: 'number', min: 1, max: most, value: most, inputMode: 'numeric' });
  const form = el(
    'form',
    { method: 'dialog' },
    el('label', { class: 'field' }, words, field),
    el(
      'div',
      { class: 'row' },
      el('button', { class: 'button', value: 'ok' }, say('main.ok')),
      el('button', { class: 'button second', value: '', formNoValidate: true }, say('main.cancel')),
    ),
  );
  const dialog = el('dialog', { 'aria-label': words }, form);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (dialog.returnValue === 'ok') then(Number(field.value));
  });
  document.body.append(dialog);
  dialog.showModal();
}
