// The felt of a game with two hands and a few spots, as baccarat's: after the bets there are no decisions. Its styles
// are those of `.baccarat` in games.css.

import { el } from './dom.js';
import { denominations, stack } from './chip.js';
import { feltKey, badge, lying, nameTag, netWords, ownFirst, remember, sum } from './felt.js';
import { redraw } from './redraw.js';
import { spotBetting } from './spot-betting.js';

function result(bet, ctx) {
  if (bet.outcome === null) return null;
  const won = bet.returned - bet.stake;
  if (bet.outcome === 'draw') return badge(ctx.say('felt.back'), 'wait');
  return won > 0 ? badge(`+${ctx.money(won)}`, 'good') : badge(`−${ctx.money(-won)}`, 'bad');
}

/**
 * The game's `felt`, `betting` and `outcome`. `sides` and `spots` are names; `words(name, ctx, values)` says a word of
 * the game; `pays(rules, spot)`; `least(rules, spot)`; `hand(view, side, ctx)`: what lies at a side, and what it comes
 * to; `won(outcome)`: the spots that win; `score(view)`: the values of the sentence of an outcome.
 */
export function twoSides({ kind, sides, spots, words, pays, least = () => 0, hand, won, score }) {
  function side(name, view, ctx) {
    const has = view?.outcome === name, { cards, worth } = hand(view, name, ctx);
    return el('section', {
      class: `bac-hand${has ? ' won' : ''}`, dataset: { id: name }, 'aria-label': words(name, ctx),
    },
      el('h3', {}, words(name, ctx)),
      el('div', { class: 'cards' }, cards),
      el('p', { class: 'points' }, worth, has && badge(words('wins', ctx), 'good')));
  }

  function placedBets(view, ctx) {
    const values = denominations(ctx.rules.table), winning = won(view.outcome);
    return el('div', { class: 'bac-spots', role: 'list', 'aria-label': ctx.say('felt.bets') }, spots.map(spot => {
      const bets = ownFirst(view.bets.filter(bet => bet.spot === spot), ctx);
      return el('div', {
        class: `bac-spot${winning.includes(spot) ? ' won' : ''}`, role: 'listitem', dataset: { id: spot },
      },
        el('span', { class: 'spot-name' }, words(spot, ctx)),
        el('span', { class: 'pays' }, pays(ctx.rules, spot)),
        el('ul', { class: 'bet-list' }, bets.map(bet => el('li', { class: bet.player === ctx.me ? 'own' : '',
          dataset: { id: bet.player } },
        stack(bet.stake, values, { words: ctx.money(bet.stake) }), nameTag(bet.player, ctx), result(bet, ctx)))));
    }));
  }

  /** A bead for each round that this browser saw, six in each column. */
  function beads(list, ctx) {
    if (!list.length) return null;
    const count = name => list.filter(one => won(one).includes(name)).length;
    const told = words('beads', ctx, Object.fromEntries([...sides, 'tie'].map(name => [name, count(name)])));
    const shape = name => ['bead-player', 'bead-banker'][sides.indexOf(name)] ?? 'bead-tie';
    return el('div', { class: 'beads', role: 'img', 'aria-label': told, dataset: { id: 'beads' } },
      list.slice(-48).map((name, at) => el('span', { class: `bead ${shape(name)}`, dataset: { id: String(at) } },
        words(`bead_${name}`, ctx))));
  }

  return {
    felt(view, ctx) {
      const key = feltKey(kind, ctx);
      const list = remember(key, ctx.round?.id, view ? view.outcome : null);
      const tied = view?.outcome && !sides.includes(view.outcome);
      const before = view ? [] : lying(ctx);
      return redraw(key, el('div', {
        class: `felt-game baccarat of-${spots.length}${view?.outcome ? ' is-settled' : ''}`,
      },
        el('div', { class: 'bac-hands' }, sides.map(name => side(name, view, ctx)),
          tied && el('p', { class: 'tie-sign', dataset: { id: 'tie' } },
            badge(words(won(view.outcome).at(-1), ctx), 'gold'))),
        (view || before.length > 0) && placedBets(view ?? { bets: before, outcome: null }, ctx),
        beads(list, ctx)));
    },

    betting: (table, ctx) => spotBetting(table, ctx, {
      name: words('choose', ctx),
      kind: 'baccarat-betting',
      spots: spots.map(spot => ({
        spot, name: words(spot, ctx), pays: pays(table.rules, spot), least: least(table.rules, spot),
      })),
      layout: buttons =>
        el('div', { class: `baccarat-spots of-${spots.length}` }, spots.map(spot => buttons.get(spot))),
    }),

    outcome(view, round, ctx) {
      if (!view || view.outcome === null) return '';
      const said = words(`said_${view.outcome}`, ctx, score(view));
      const own = view.bets.filter(bet => bet.player === ctx.me);
      return own.length ? netWords(sum(own, 'returned') - sum(own, 'stake'), said) : said;
    },
  };
}
