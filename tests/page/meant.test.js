// No chip moves by accident: held or repeated Enter, and held letters, act at most once, at every game. The test counts
// the player's commands on the log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calm } from './bots.js';
import { served, sleep, slow, until } from './harness.js';
import { named } from './rooms.js';
import { commandsOf, seated } from './seated.js';

const service = await served();

/** A held key: the first press, and the keyboard's repeats. */
async function hold(page, key, ms = 1500) {
  for (const end = Date.now() + ms; Date.now() < end;) {
    await page.keyboard.down(key);
    await sleep(35);
  }
  await page.keyboard.up(key);
}

/** Focuses the button that places the bet, once it can be pressed. */
async function focusPlacing({ player }) {
  await until(() => player.placing.isEnabled(), 'bets that can be placed');
  await player.placing.focus();
}

/** The numbers of the player's staking and deciding commands. */
async function done({ table, me }) {
  const commands = await commandsOf(service, table, me.player);
  const count = name => commands.filter(command => name in command).length;
  return { bets: count('bet'), acts: count('act'), chips: count('add_chips'), left: count('leave_seat') };
}

const GAMES = [
  { rules: 'joy', game: 'blackjack', solo: true, letters: ['h', 's', 'd'] },
  { rules: 'rng-baccarat', game: 'baccarat', solo: true },
  { rules: 'rng-roulette', game: 'roulette', solo: true },
  { rules: 'rng-dragon-tiger', game: 'dragon_tiger', solo: true },
  { rules: 'rng-sic-bo', game: 'sic_bo', solo: true },
];

for (const entry of GAMES) {
  test(`${entry.rules}: Enter that is held on Deal deals once, and a second one moves no chip`, async () => {
    const at = await seated(service, entry), { page, player } = at;
    await player.placing.waitFor();
    await player.spot(entry.game).click();
    await focusPlacing(at);
    await hold(page, 'Enter');
    await until(async () => (await done(at)).bets === 1, 'the deal');
    for (const pause of [0, 350, 750]) {
      await sleep(pause);
      await page.keyboard.press('Enter');
    }
    await hold(page, 'Enter', 600);
    assert.deepEqual(await done(at), { bets: 1, acts: 0, chips: 0, left: 0 });
    // At most one chip is laid.
    assert.ok(await player.actions.locator('.bet-spot.has-bet').count() === 0, 'no chip was laid by Enter');
    await at.done();
  });
}

// A slow machine draws the bar some time after the round is over: the chips of that round are still in it.
test('rng-baccarat: Enter before the bar is drawn anew places nothing in the next round', async () => {
  const at = await seated(service, GAMES[1]), { page, player } = at;
  await player.placing.waitFor();
  await player.spot('baccarat').click();
  await focusPlacing(at);
  await page.evaluate(async () => {
    const { name } = performance.getEntriesByType('resource').find(one => one.name.endsWith('/play-actions.js'));
    const { Actions } = await import(name), { draw } = Actions.prototype;
    Actions.prototype.draw = function later(ctx) {
      setTimeout(() => draw.call(this, ctx), 4000);
    };
  });
  await page.keyboard.press('Enter');
  await until(async () => (await done(at)).bets === 1, 'the deal');
  for (let press = 0; press < 8; press++) {
    await sleep(250);
    await page.keyboard.press('Enter');
  }
  await sleep(3000);
  assert.deepEqual(await done(at), { bets: 1, acts: 0, chips: 0, left: 0 });
  await at.done();
});

// The first bet is on the log, and neither its answer nor its entry is told: the bar stands as it was. What the second
// press asks for comes to the service when the first round is over.
for (const entry of slow ? GAMES : GAMES.filter(one => one.game === 'roulette')) {
  test(`${entry.rules}: a second Enter while the first is on its way bets in no other round`, async () => {
    const at = await seated(service, entry), { page, player } = at, { proxy } = at.visitor;
    await player.placing.waitFor();
    await player.spot(entry.game).click();
    await focusPlacing(at);
    let tell, goOn;
    proxy.held = { match: /\/(bets|events)\b/, until: new Promise(done => { tell = done; }) };
    await page.keyboard.press('Enter');
    await until(async () => (await done(at)).bets === 1, 'the deal');
    const isOver = new Promise(done => { goOn = done; });
    const second = proxy.fault('late', { match: /\/bets$/, method: 'POST', until: isOver });
    await page.keyboard.press('Enter');
    await sleep(500);
    tell();
    const commands = () => commandsOf(service, at.table, at.me.player);
    await until(async () => (await commands()).some(command => 'reveal' in command), 'the seed of the first round');
    goOn();
    await sleep(1500);
    assert.deepEqual(await done(at), { bets: 1, acts: 0, chips: 0, left: 0 }, second.happened.join());
    assert.equal(await player.actions.locator('.action-message').innerText(), '');
    await at.done();
  });
}

test('joy: a letter that is held decides once', async () => {
  const at = await seated(service, GAMES[0]), { page, player } = at;
  await player.dealt(['act.hit']);
  await until(() => player.button('act.hit').isEnabled(), 'a choice that can be made');
  const before = await done(at);
  await hold(page, 'h');
  await until(async () => (await done(at)).acts > before.acts, 'the choice on the log');
  assert.equal((await done(at)).acts, before.acts + 1);
  await at.done();
});

test('joy: what is pressed twice at once is done once, and what follows it rests', async () => {
  const at = await seated(service, GAMES[0]), { player } = at;
  await player.dealt(['act.hit']);
  // Freshly drawn buttons cannot be pressed; soon all can.
  const seen = await player.page.evaluate(() => new Promise(found => {
    const body = document.querySelector('.action-body');
    new MutationObserver((list, watcher) => {
      const buttons = [...body.querySelectorAll('.action-choices button, [data-place]')];
      if (!buttons.length) return;
      watcher.disconnect();
      found(buttons.every(one => one.disabled));
    }).observe(body, { childList: true });
    setTimeout(() => document.querySelector('[data-key=h]').click(), 600);
  }));
  assert.ok(seen, 'new buttons rest');
  await until(() => player.actions.locator('.action-choices button:enabled, [data-place]:enabled').count(), 'no rest');
  await at.done();
});

test('safe: Enter that is held pays one entry and decides nothing, a letter that is held decides once', async () => {
  // The company acts first, and a bust of theirs would end the game before this player's turn. Face-down never busts.
  const choose = (decision, round, one) => (
    decision.options.some(({ action }) => action === 'face_down') ? 'face_down' : calm(decision, round, one));
  const rules = { rules: 'safe', company: true, pace: 60, choose };
  const at = await seated(service, rules), { page, player } = at;
  await player.sit();
  await focusPlacing(at);
  await hold(page, 'Enter');
  await until(() => player.turn.isVisible(), 'a turn', 40_000);
  for (const pause of [0, 350, 750]) {
    await sleep(pause);
    await page.keyboard.press('Enter');
  }
  await hold(page, 'Enter', 900);
  assert.deepEqual(await done(at), { bets: 1, acts: 0, chips: 0, left: 0 });
  // While the answer is on its way the button stays.
  at.visitor.proxy.slow = { latency: 700 };
  await page.evaluate(() => {
    window.presses = 0;
    document.addEventListener('click', ({ target }) => { if (target.closest('[data-key=h]')) window.presses += 1; });
  });
  await hold(page, 'h');
  at.visitor.proxy.slow = undefined;
  assert.equal(await page.evaluate(() => window.presses), 1);
  await until(async () => (await done(at)).acts > 0, 'the choice on the log');
  assert.equal((await done(at)).acts, 1);
  await at.done();
});

test('holdem: Enter that is held calls no street, and a letter that is held calls one', async () => {
  const at = await seated(service, { rules: 'holdem', company: true, pace: 40 }), { page, player } = at;
  await player.sit();
  await until(() => player.turn.isVisible(), 'a turn', 40_000);
  await hold(page, 'Enter');
  for (const pause of [0, 350, 750]) {
    await sleep(pause);
    await page.keyboard.press('Enter');
  }
  assert.deepEqual(await done(at), { bets: 0, acts: 0, chips: 0, left: 0 });
  const names = (await player.offered()).join(' ');
  await hold(page, named('poker.do_check', { within: true }).test(names) ? 'k' : 'c', 1800);
  await until(async () => (await done(at)).acts > 0, 'the choice on the log');
  assert.equal((await done(at)).acts, 1);
  await at.done();
});

test('holdem: the seal of a hole card that nobody showed says that its holder has seen it', async () => {
  const at = await seated(service, { rules: 'holdem', company: true }), { page, player } = at;
  await player.sit();
  const down = player.felt.locator('.poker-seat:not(.own) [data-seal=hidden]').first();
  await down.waitFor({ timeout: 40_000 });
  assert.match(await down.innerText(), named('seal.held', { within: true }));
  await down.click();
  const proof = page.getByRole('dialog');
  await proof.getByText(named('seal.held_means')).waitFor();
  assert.doesNotMatch(await proof.innerText(), /nobody has seen|no message of the service/);
  await at.done();
});
