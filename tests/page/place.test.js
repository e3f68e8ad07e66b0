// Important parts are visible: nothing covers the player's own hand, the clock or the status, on a low screen, at 200 %
// or in landscape; parts keep their place during a hand; and a finger can hit a split.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served, sleep, until, visit } from './harness.js';
import { go, say, settled, speak } from './rooms.js';
import { seated } from './seated.js';

const service = await served();

/** Which of these are not completely in the window, or are covered by the bar. */
const covered = (page, parts) => page.evaluate(all => {
  const bar = document.querySelector('.actions');
  return Object.entries(all).flatMap(([name, selector]) => {
    const node = document.querySelector(selector);
    if (!node) return [`${name}: is not there`];
    const { left, top, right, bottom } = node.getBoundingClientRect();
    if (bottom > innerHeight + 1 || top < -1) return [`${name}: from ${top | 0} to ${bottom | 0} of ${innerHeight}`];
    const points = [[(left + right) / 2, (top + bottom) / 2], [(left + right) / 2, bottom - 3]];
    const over = points.some(([x, y]) => bar.contains(document.elementFromPoint(x, y)));
    return over ? [`${name}: the bar lies over it`] : [];
  });
}, parts);

const SIZES = [
  ['1024 × 768', { width: 1024, height: 768 }], ['200 %', { width: 720, height: 450 }],
  ['a phone on its side', { width: 844, height: 390 }], ['a phone', { width: 390, height: 844, touch: true }],
];
const OWN = { 'live-blackjack': '.hand.is-mine', holdem: '.poker-seat.own .plate' };

for (const [name, look] of SIZES) {
  test(`${name}: own hand, status and clock are seen at one's turn`, async () => {
    for (const [rules, own] of Object.entries(OWN)) {
      const at = await seated(service, { rules, company: rules === 'holdem', look }), { page, player } = at;
      await player.sit();
      if (rules === 'holdem') await until(() => player.turn.isVisible(), 'a turn', 60_000);
      else await player.dealt();
      const parts = { own, status: '.status', clock: '.clock' };
      await until(async () => (await covered(page, parts)).length === 0, async () => (
        `${rules}: ${(await covered(page, parts)).join(', ')}`), 5000);
      await at.done();
    }
  });
}

for (const height of [844, 664]) {
  test(`a phone, 390 × ${height}: the bar never lies over one's own cards, stack and bet`, async () => {
    const look = { width: 390, height, touch: true };
    const at = await seated(service, { rules: 'holdem', company: true, pace: 300, look }), { page, player } = at;
    await player.sit();
    // In every picture that the browser draws. The page moves without being scrolled: nothing here touches it.
    await page.evaluate(() => {
      window.under = new Map();
      const own = ['.plate', '.hole', '.hand-name', '.badge'].map(name => `.poker-seat.own ${name}`);
      const look = () => {
        const bar = document.querySelector('.actions'), { top } = bar.getBoundingClientRect();
        for (const name of own) {
          const below = (document.querySelector(name)?.getBoundingClientRect().bottom ?? 0) - top;
          if (below > 1) window.under.set(`${name}, ${bar.dataset.state}`, Math.round(below));
        }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    for (let hand = 0; hand < 2; hand += 1) {
      await player.playOn({ patience: 60_000 });
      await player.ended.waitFor({ state: 'hidden' });
    }
    assert.deepEqual(await page.evaluate(() => [...window.under]), []);
    await at.done();
  });
}

test("360 × 640: one's own hand at Safe is in sight at one's turn, however many sit below it", async () => {
  const look = { width: 360, height: 640, touch: true };
  // No clock runs out on a slow machine.
  const change = { options: { bet_time_ms: 120_000, reveal_time_ms: 120_000, turn_time_ms: 120_000 } };
  const at = await seated(service, { rules: 'safe', company: true, change, look }), { page, player } = at;
  await player.sit();
  // As high as four more seats.
  await page.evaluate(() => {
    const more = document.createElement('div');
    more.style.height = '36rem';
    document.querySelector('.felt-box').append(more);
  });
  await player.bet('safe');
  await until(() => player.turn.isVisible(), 'a turn', 60_000);
  const parts = { own: '.safe-seat.own .open-hand' };
  await until(async () => (await covered(page, parts)).length === 0, async () => (
    (await covered(page, parts)).join(', ')), 5000);
  await at.done();
});

/** Bets and deals, once the buttons have rested. */
async function deal(player) {
  await until(() => player.placing.isEnabled({ timeout: 1000 }).catch(() => false), 'bets');
  await player.bet('blackjack');
}

test('over five hands what stands on the table keeps its place', async t => {
  for (const [rules, solo] of [['joy', true], ['holdem', false]]) {
    const at = await seated(service, { rules, solo, company: !solo }), { page, player } = at;
    if (!solo) await player.sit();
    const hand = async () => {
      if (solo) await deal(player);
      // The outcome of the hand before is over.
      else await player.ended.waitFor({ state: 'hidden' });
      const { chosen } = await player.playOn({ patience: 60_000 });
      await sleep(300);
      return chosen;
    };
    // The first hand with a choice reserves room for all parts that come and go.
    while ((await hand()).length === 0);
    await page.evaluate(() => {
      window.moved = [];
      new PerformanceObserver(list => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) {
          const what = sources.map(({ node, previousRect, currentRect }) => (
            `${node?.className} ${previousRect.y | 0} to ${currentRect.y | 0}`));
          if (!hadRecentInput) window.moved.push([value, what.join(', ')]);
        }
      }).observe({ type: 'layout-shift' });
    });
    for (let at = 0; at < 5; at += 1) await hand();
    const moved = await page.evaluate(() => window.moved);
    const sum = moved.reduce((all, [value]) => all + value, 0);
    t.diagnostic(`${rules}: ${sum.toFixed(3)}`);
    assert.ok(sum < 0.1, `${rules} moved by ${sum}:\n${moved.map(String).join('\n')}`);
    await at.done();
  }
});

test('what a player does moves what stands on the table no further', async t => {
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
    const look = { width, height, touch: width < 640 };
    const at = await seated(service, { rules: 'joy', solo: true, look }), { page, player } = at;
    const hand = async () => {
      await deal(player);
      const { chosen } = await player.playOn({ patience: 60_000 });
      await sleep(300);
      return chosen;
    };
    while ((await hand()).length === 0);
    await page.evaluate(() => {
      window.moved = 0;
      new PerformanceObserver(list => { for (const { value } of list.getEntries()) window.moved += value; })
        .observe({ type: 'layout-shift' });
    });
    for (let at = 0; at < 4; at += 1) await hand();
    const moved = await page.evaluate(() => window.moved);
    t.diagnostic(`${width} × ${height}: ${moved.toFixed(3)}`);
    assert.ok(moved < 0.15, `${width} × ${height}: moved by ${moved}`);
    await at.done();
  }
});

test('a circle on the felt takes a chip, and what is missing is said where it moves nothing', async () => {
  const at = await seated(service, { rules: 'joy', solo: true, look: { width: 1440, height: 900 } });
  const { page, player } = at;
  await player.placing.waitFor();
  const top = () => page.locator('.box-place').evaluate(node => node.getBoundingClientRect().top);
  const stood = await top();
  await player.placing.click();
  await page.getByText(say('play.no_bet')).waitFor();
  assert.equal(await top(), stood, 'the circle keeps its place');
  await page.locator('.box-place').click();
  await page.getByText(say('play.no_bet')).waitFor({ state: 'hidden' });
  assert.ok(await player.spot('blackjack').evaluate(node => node.classList.contains('has-bet')));
  // The chip lies where it was put, and comes off there.
  await page.locator('.box-place .chip').waitFor();
  assert.equal(await top(), stood, 'the circle keeps its place');
  const off = player.button('bet.take_back');
  await off.click();
  await page.getByText(say('bet.take_which')).waitFor();
  await page.locator('.box-place').click();
  await page.locator('.box-place .chip').waitFor({ state: 'detached' });
  assert.ok(await off.isDisabled() && await off.getAttribute('aria-pressed') === 'false', 'there is none to take off');
  await at.done();
});

for (const [rules, game, result] of [
  ['rng-baccarat', 'baccarat', '.bac-spot:has(.own) .badge'],
  ['rng-dragon-tiger', 'dragon_tiger', '.bac-spot:has(.own) .badge'], ['rng-sic-bo', 'sic_bo', '.roulette-bets .badge'],
]) {
  test(`a phone: at ${rules} one's own result and the status stay above the bar`, async () => {
    const look = { width: 390, height: 844, touch: true };
    const at = await seated(service, { rules, solo: true, look }), { page, player } = at;
    await player.bet(game);
    await player.playOn();
    await player.felt.locator(result).first().waitFor();
    const stands = () => page.evaluate(own => {
      const edge = name => document.querySelector(name).getBoundingClientRect();
      const [result, bar, status] = [own, '.actions', '.felt .status'].map(edge);
      return result.bottom <= bar.top && status.top >= 0;
    }, result);
    await until(stands, 'the own result and the status above the bar', 5000);
    await at.done();
  });
}

test('a click on a free seat at poker chooses it', async () => {
  const at = await seated(service, { rules: 'holdem' }), { page, player } = at;
  await player.button('play.sit_down').waitFor();
  await page.getByText(say('poker.free', { seat: 4 })).click();
  assert.equal(await player.actions.locator('.buy-in select').inputValue(), '4');
  await at.done();
});

test("on a phone a table's tag is whole or not there", async () => {
  const look = { width: 390, height: 844, locale: 'ja-JP' };
  for (const table of ['play.joy-1', 'play.baccarat-1', 'play.holdem-1']) {
    const visitor = await visit(service, look), { page } = visitor;
    await go(page, `/play/${table}`);
    const cut = await page.evaluate(() => {
      const all = document.querySelector('.table-tags').getBoundingClientRect();
      return [...document.querySelectorAll('.table-tags .tag')].filter(one => {
        const { left, right, top, width } = one.getBoundingClientRect();
        return width > 0 && top < all.bottom && (right > all.right + 1 || left < all.left - 1);
      }).map(one => one.textContent);
    });
    assert.deepEqual(cut, []);
    await visitor.checked();
  }
});

test("a replay's controls lie over no card", async () => {
  const at = await seated(service, { rules: 'joy', solo: true, look: { width: 1440, height: 900 } }), { page } = at;
  await at.player.bet('blackjack');
  await at.player.playOn();
  await page.goto(`/round/${at.table}:0`);
  await settled(page);
  for (const y of [0, 200, 400]) {
    await page.evaluate(top => scrollTo(0, top), y);
    const over = await page.evaluate(() => {
      const [bar, felt] = ['.replay-controls', '.replay .felt']
        .map(name => document.querySelector(name).getBoundingClientRect());
      return Math.min(bar.bottom, felt.bottom) - Math.max(bar.top, felt.top);
    });
    assert.ok(over <= 0, `${over} pixels of the felt lie under the controls`);
  }
  await at.done();
});

test('on a phone a finger of 24 pixels finds a split', async () => {
  const look = { width: 390, height: 844, touch: true };
  const at = await seated(service, { rules: 'rng-roulette', solo: true, look }), { page } = at;
  await at.player.placing.waitFor();
  const missed = await page.evaluate(() => {
    const spots = [...document.querySelectorAll('.kind-split[data-spot]')];
    return spots.flatMap(spot => {
      spot.scrollIntoView({ block: 'center' });
      const { left, right, top, bottom } = spot.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const hits = [[0, -11], [0, 11], [-11, 0], [11, 0]].map(([dx, dy]) => document.elementFromPoint(x + dx, y + dy));
      const size = `${spot.dataset.spot} ${right - left | 0}×${bottom - top | 0}`;
      return hits.every(hit => spot.contains(hit)) ? [] : [size];
    });
  });
  assert.deepEqual(missed, []);
  await at.done();
});

test('each spot of a layout is whole, beside the felt and on a phone, in Japanese too', async () => {
  speak('ja');
  for (const rules of ['rng-baccarat', 'rng-dragon-tiger', 'rng-sic-bo'])
    for (const [width, height] of [[1024, 768], [390, 844], [1440, 900]]) {
      const at = await seated(service, { rules, solo: true, look: { width, height, locale: 'ja-JP' } });
      await at.player.placing.waitFor();
      const cut = await at.page.evaluate(() => {
        const isIn = (one, around) => {
          const [inner, outer] = [one, around].map(node => node.getBoundingClientRect());
          return inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
        };
        const all = document.querySelector('.bet-spots');
        return [...all.querySelectorAll('.bet-spot')].filter(spot => !isIn(spot, all)
          || [...spot.querySelectorAll('.spot-name, .pays')].some(print => !isIn(print, spot)))
          .map(spot => spot.dataset.spot);
      });
      assert.deepEqual(cut, [], `${rules}, ${width} × ${height}`);
      await at.done();
    }
  speak('en');
});

test('1440 × 900: the bar lies over nothing that a round came to, and the round moves nothing', async () => {
  const shown = {
    'rng-baccarat': { beads: '.beads', bets: '.bac-spots' },
    'rng-roulette': { wheel: '.wheel', bets: '.roulette-bets' },
    'rng-dragon-tiger': { beads: '.beads', bets: '.bac-spots' },
    'rng-sic-bo': { dice: '.dice', past: '.pockets', bets: '.roulette-bets' },
  };
  for (const [rules, parts] of Object.entries(shown)) {
    const at = await seated(service, { rules, solo: true, look: { width: 1440, height: 900 } }), { page, player } = at;
    await player.placing.waitFor();
    await page.evaluate(() => {
      window.moved = [];
      new PerformanceObserver(list => {
        for (const { value, hadRecentInput, sources } of list.getEntries())
          if (!hadRecentInput) window.moved.push([value, sources.map(({ node }) => node?.className).join(', ')]);
      }).observe({ type: 'layout-shift' });
    });
    await player.bet(rules.slice('rng-'.length).replace('-', '_'));
    await player.playOn();
    await until(async () => (await covered(page, parts)).length === 0, async () => (
      `${rules}: ${(await covered(page, parts)).join(', ')}`), 5000);
    const moved = await page.evaluate(() => window.moved);
    const sum = moved.reduce((all, [value]) => all + value, 0);
    assert.ok(sum < 0.05, `${rules} moved by ${sum}:\n${moved.map(String).join('\n')}`);
    await at.done();
  }
});

test('a blackjack takes one line under its cards at seven boxes of a phone, in Japanese', async () => {
  const visitor = await visit(service, { width: 390, height: 844, touch: true, locale: 'ja-JP' }), { page } = visitor;
  await go(page, '/play/live-blackjack-1');
  const { rules } = await service.must('/v1/tables/live-blackjack-1');
  const lines = await page.evaluate(async given => {
    const files = performance.getEntriesByType('resource').map(({ name }) => name);
    const load = name => import(files.find(one => one.includes(`/${name}.`)));
    const [{ felt }, words, { sealed }] = await Promise.all(['game-blackjack', 'words', 'seal'].map(load));
    const cards = ['Ah', 'Kd'].map((card, slot) => ({ card, slot }));
    const hand = { cards, total: 21, soft: true, stake: 100 };
    const boxes = [null, 'blackjack'].map((outcome, at) => (
      { spot: at + 1, player: 'ann', hands: [{ ...hand, outcome, returned: 250 }] }));
    const view = { boxes, dealer: { cards: [], total: 0 } }, round = { id: 't:0', table: 't', decisions: [] };
    document.querySelector('.felt-box').replaceChildren(felt(view, {
      ...words, me: 'bob', rules: given, table: { table: 't', next_round: 1 }, seats: [], round,
      card: ({ card }) => sealed(card),
    }));
    return [...document.querySelectorAll('.hand .total, .hand .badge')].map(one => (
      [one.innerText, Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))]));
  }, rules);
  assert.deepEqual(lines, [['BJ', 1], ['21', 1], ['BJ +150', 1]]);
  await visitor.checked();
});
