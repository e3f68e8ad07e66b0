// A player's turn at poker: the page shows it where they look, plays a sound if they chose it, uses an advance choice,
// and never folds if a check is free. Also the rules panel of a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calm } from './bots.js';
import { served, until } from './harness.js';
import { findings, named, say } from './rooms.js';
import { commandsOf, seated } from './seated.js';

const service = await served();

test('the title says whose turn it is, and no sound or vibration comes until it is chosen', async () => {
  const at = await seated(service, { rules: 'holdem', company: true }), { page, player } = at;
  await page.evaluate(() => {
    Object.assign(window, { tones: 0, shakes: 0 });
    navigator.vibrate = () => { window.shakes += 1; };
    const { createOscillator } = AudioContext.prototype;
    AudioContext.prototype.createOscillator = function create(...given) {
      window.tones += 1;
      return createOscillator.apply(this, given);
    };
  });
  await player.sit();
  await until(() => player.turn.isVisible(), 'a turn', 40_000);
  assert.match(await page.title(), new RegExp(`^${say('status.your_turn')} · `));
  assert.deepEqual(await page.evaluate(() => [window.tones, window.shakes]), [0, 0]);
  const sound = page.getByRole('button', { name: named('play.sound') });
  assert.equal(await sound.getAttribute('aria-pressed'), 'false');
  await sound.click();
  assert.equal(await sound.getAttribute('aria-pressed'), 'true');
  const heard = await page.evaluate(() => window.tones);
  assert.ok(heard > 0, 'what was chosen is heard at once');
  await player.playOn();
  await until(async () => await player.turn.isVisible() && await page.evaluate(() => window.tones) > heard,
    'a sound at the next turn', 60_000);
  assert.ok(await page.evaluate(() => window.shakes) > 0, 'a phone vibrates with it');
  await until(() => player.turn.getByRole('button').first().isEnabled(), 'a choice that can be made');
  assert.deepEqual(await findings(page), []);
  await at.done();
});

test('where a check is free there is no fold, and a choice ahead is taken at once', async () => {
  // The company thinks until the choice is made.
  let isThinking = true;
  const choose = (...asked) => (isThinking ? undefined : calm(...asked));
  const at = await seated(service, { rules: 'holdem', company: true, choose }), { page, player } = at;
  await player.sit();
  const ahead = page.locator('[data-ahead=check_fold]');
  let folds = 0;
  await until(async () => {
    const names = (await player.offered().catch(() => [])).join(' ');
    if (named('poker.do_check', { within: true }).test(names) && named('poker.do_fold', { within: true }).test(names))
      folds += 1;
    if (await ahead.isVisible()) return true;
    await player.decide().catch(() => undefined);
    return false;
  }, 'a hand in which the other thinks', 60_000);
  const before = (await commandsOf(service, at.table, at.me.player)).filter(one => one.act).length;
  await ahead.click();
  assert.equal(await ahead.getAttribute('aria-pressed'), 'true');
  isThinking = false;
  const acts = async () => (await commandsOf(service, at.table, at.me.player)).filter(one => one.act);
  const isOver = async () => !await ahead.isVisible() && (await acts()).length === before
    && await player.felt.locator('.poker.is-settled').count() > 0;
  const isDone = async () => (await acts()).length > before || await isOver();
  await until(isDone, 'the choice, or the end of the hand', 30_000);
  const chosen = (await acts()).slice(before, before + 1);
  for (const { act } of chosen) assert.ok(['check', 'fold'].includes(act.action), JSON.stringify(act));
  assert.equal(folds, 0, 'no fold beside a free check');
  await at.done();
});

for (const [rules, said] of [
  ['safe', ['rules.safe_goal', 'rules.safe_down', 'rules.safe_clock']], ['joy', ['rules.edge_player']],
  ['baccarat', ['rules.baccarat_edge']], ['roulette', ['rules.roulette_edge']], ['holdem', ['rules.poker_blinds']],
  ['dragon-tiger', ['rules.dragon_tiger_edge']], ['sic-bo', ['rules.sic_bo_goal', 'rules.sic_bo_edge']],
]) {
  test(`${rules}: the rules of the table are told in its own numbers`, async () => {
    const at = await seated(service, { rules, solo: rules === 'joy' }), { page } = at;
    await page.getByText(say('side.sign'), { exact: true }).click();
    const panel = page.locator('[data-part=sign]');
    for (const key of said) await panel.getByText(named(key)).waitFor();
    assert.doesNotMatch(await panel.innerText(), /\{[a-z]+\}|rules\.|undefined|NaN/);
    const narrow = await panel.locator('.facts').evaluate(list => [...list.querySelectorAll('dd')]
      .filter(one => one.clientWidth < 0.45 * list.clientWidth).map(one => one.textContent));
    assert.deepEqual(narrow, [], 'no value is squeezed by its name');
    if (rules === 'safe') {
      await panel.getByText(say('rules.safe_goal', { amount: '100' })).waitFor();
      assert.match(await panel.innerText(), /30 s/);
    }
    assert.deepEqual(await findings(page), []);
    await at.done();
  });
}
