// A round's result stays readable: the showdown even after the next hand begins, each bet's result, losing cards; and
// the wheel shows its number before any other part does. The page itself measures the times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce, calm } from './bots.js';
import { served, sleep, until, visit } from './harness.js';
import { go, named, say } from './rooms.js';
import { commandsOf, drawn, seated } from './seated.js';

const service = await served();

/** From now on the page records when each of these becomes visible and invisible: `[[name, isSeen, time], …]`. */
const watch = (page, selectors) => page.evaluate(all => {
  window.noted = [];
  const seen = {};
  const look = () => {
    for (const [name, selector] of Object.entries(all)) {
      const is = [...document.querySelectorAll(selector)]
        .some(one => one.checkVisibility({ visibilityProperty: true }));
      if (!!seen[name] !== is) window.noted.push([name, is, performance.now()]);
      seen[name] = is;
    }
  };
  const changes = { childList: true, subtree: true, attributes: true, characterData: true };
  new MutationObserver(look).observe(document.body, changes);
  look();
}, selectors);

const noted = page => page.evaluate(() => window.noted);

test('holdem: the showdown lies there for three seconds, though the next hand is called at once', async () => {
  const at = await seated(service, { rules: 'holdem', company: true, pace: 20 }), { page, player } = at;
  await player.sit();
  await until(() => player.turn.isVisible(), 'a turn', 40_000);
  // At their turn, too, a player may get up.
  for (const key of ['play.sit_out', 'play.leave']) assert.ok(await player.button(key).isVisible(), key);
  await watch(page, { result: '.poker.is-settled' });
  const lay = await until(async () => {
    await player.decide().catch(() => undefined);
    const list = await noted(page), shown = list.findIndex(([, is]) => is);
    return shown >= 0 && list[shown + 1] && list[shown + 1][2] - list[shown][2];
  }, 'a showdown, and the next hand', 60_000);
  assert.ok(lay >= 2900, `the showdown lay there for ${Math.round(lay)} ms`);
  // The next hand can be played as it comes.
  await until(() => player.turn.isVisible(), 'a turn of the next hand', 40_000);
  await at.done();
});

test('a player whose seat is moved reads the showdown for three seconds, and the page goes to the seat', async () => {
  const event = 'moving', change = ({ clocks }) => { clocks.between_hands_ms = 10_000; };
  const { other, page, player, visitor, done } = await drawn(service, event, { stack: 40, choose: calm, change });
  // A real move takes a dozen entrants: here the service is made to say that the seat is elsewhere.
  let isMoved = false;
  visitor.proxy.lies.push({
    ask: () => false,
    answer: ({ path, json }) => {
      if (!isMoved || path !== `/v1/tournaments/${event}` || !json?.own) return false;
      json.own.entry.table = 'holdem-1';
      return true;
    },
  });
  await watch(page, { result: '.poker.is-settled' });
  await until(async () => {
    await player.decide();
    return (await noted(page)).length > 0;
  }, 'a showdown', 60_000);
  isMoved = true;
  // The event's next entry, on which the page looks.
  await other.must(`/v1/tournaments/${event}/deal/wish`, { want: true });
  await player.actions.getByText(say('play.moved', { table: 'holdem-1' })).waitFor();
  await page.waitForURL(/\/play\/holdem-1$/);
  await until(async () => (await noted(page)).length === 2, 'the other table');
  const [[, , from], [, , to]] = await noted(page);
  assert.ok(to - from >= 2900, `the showdown lay there for ${Math.round(to - from)} ms`);
  await done();
});

test('the room of a tournament tells its pause between hands', async () => {
  await announce(service, 'paused', { startsIn: 600_000, change: ({ clocks }) => { clocks.between_hands_ms = 3000; } });
  const { page, checked } = await visit(service);
  await go(page, '/tournament/paused');
  const pause = page.locator('.event-structure dt').filter({ hasText: named('tournament.pause') });
  assert.equal(await pause.locator('+ dd').innerText(), say('tournament.seconds', { count: 3 }));
  await checked();
});

for (const [rules, game, result] of [
  ['rng-baccarat', 'baccarat', '.bac-spot .badge'], ['rng-dragon-tiger', 'dragon_tiger', '.bac-spot .badge'],
  ['rng-sic-bo', 'sic_bo', '.roulette-bets .badge'],
]) {
  test(`${rules}: each bet keeps its result beside what is laid next`, async () => {
    const at = await seated(service, { rules, solo: true }), { player } = at;
    await player.placing.waitFor();
    const again = player.button('play.again');
    assert.ok(await again.isDisabled(), 'nothing was staked before');
    await player.bet(game);
    await player.playOn();
    await player.placing.waitFor();
    assert.ok(await again.isEnabled(), 'the same can be staked again');
    await player.spot(game).click();
    await player.felt.locator(result).first().waitFor();
    await at.done();
  });
}

// The answer to a bet tells the balance after it. It may come when the stream has told how the round ended.
test('rng-baccarat: an answer that comes late takes no newer balance back', async () => {
  const at = await seated(service, { rules: 'rng-baccarat', solo: true }), { page, player, me } = at;
  await player.placing.waitFor();
  // One of both wins, or both come back.
  for (const side of ['player', 'banker']) await player.actions.locator(`[data-spot=${side}]`).click();
  let tell;
  at.visitor.proxy.held = { match: /\/bets\b/, until: new Promise(done => { tell = done; }) };
  await player.placing.click();
  await player.playOn();
  const { balance } = await me.must(`/v1/players/${me.player}`);
  const shown = page.getByRole('banner').getByText(balance.toLocaleString('en-GB'), { exact: true });
  await until(() => shown.count(), `the balance ${balance}`);
  tell();
  await player.actions.locator('xpath=self::*[@aria-busy="false"]').waitFor();
  await sleep(300);
  assert.equal(await shown.count(), 1, await page.getByRole('banner').innerText());
  await at.done();
});

for (const [rules, game, least, moving, sign] of [
  ['rng-roulette', 'roulette', 2000, '.wheel.spun', '.pocket-sign'],
  ['rng-sic-bo', 'sic_bo', 1500, '.dice.is-rolling', '.dice-total'],
]) {
  test(`${rules}: number, win and balance are told when ball or dice rest`, async () => {
    const at = await seated(service, { rules, solo: true, look: { motion: 'no-preference' } });
    const { page, player, me } = at;
    await player.placing.waitFor();
    await until(() => player.placing.isEnabled(), 'bets');
    await player.spot(game).click();
    await watch(page, { moving, sign, words: '.outcome', past: '.pocket-past' });
    await player.placing.click();
    const rolls = await until(async () => {
      const list = await noted(page), first = name => list.find(([one, is]) => is && one === name)?.[2];
      return first('sign') && first('words') && first('past') && list;
    }, 'the number', 30_000);
    const when = name => rolls.find(([one, is]) => is && one === name)?.[2];
    for (const name of ['sign', 'words', 'past']) {
      const late = when(name) - when('moving');
      assert.ok(late >= least, `${name} came ${late} ms after the begin`);
    }
    await player.felt.locator('.roulette-bets .badge').first().waitFor();
    const { balance } = await me.must(`/v1/players/${me.player}`);
    const shown = page.getByRole('banner').getByText(balance.toLocaleString('en-GB'), { exact: true });
    await until(() => shown.count(), `the balance ${balance}`);
    await at.done();
  });
}

test('safe: the cards that lost stay before whoever is out', async () => {
  // The player keeps hitting: they are out, or all others are.
  const at = await seated(service, { rules: 'safe', company: true, pace: 40 }), { page, player } = at;
  await player.sit();
  await until(() => player.placing.isEnabled(), 'the entry');
  await player.placing.click();
  await until(async () => {
    const order = ['safe.do_hit', 'safe.do_reject', 'safe.do_stand', 'safe.do_pass', 'safe.do_open'];
    await player.decide(order).catch(() => 0);
    await sleep(40);
    return await player.felt.locator('.safe-seat.out').count() > 0;
  }, 'somebody who is out', 60_000);
  await player.felt.getByText(say('safe.aim')).waitFor();
  const out = player.felt.locator('.safe-seat.out').first();
  assert.ok(await out.locator('[data-card]').count() >= 2, `nothing lies before ${await out.innerText()}`);
  assert.ok((await commandsOf(service, at.table, at.me.player)).length > 1);
  assert.equal(await page.locator('.safe-seat.out .lost').count() > 0, true);
  await at.done();
});
