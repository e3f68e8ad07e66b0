// A player who closes the page at a cash table sits out, with a signature like for all their commands: no hand waits
// for their seed, none becomes void, and they are not named for a closed tab. A player who is back at once plays on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served, until, visit } from './harness.js';
import { go, settled } from './rooms.js';
import { seated } from './seated.js';

const service = await served();

/** The player's seat in the service. */
const seatOf = async ({ table, me }) =>
  (await service.must(`/v1/tables/${table}`)).cash.seats.find(seat => seat.player === me.player);

const events = async ({ table }) => {
  const { entries } = await service.must(`/v1/tables/${table}/entries?limit=256`);
  return entries.flatMap(({ entry }) => JSON.parse(entry).events.map(event => [Object.keys(event)[0], entry]));
};

/**
 * Waits until the page has its `sit_out` ready: its worker makes one thing after another. That is the one in the
 * making, and another if the player signed something meanwhile.
 */
const isReady = ({ page, table }) => page.evaluate(async name => {
  const files = performance.getEntriesByType('resource').map(one => one.name);
  const { proof } = await import(files.find(file => /\/proof\.js/.test(file)));
  for (let made = 0; made < 2; made += 1) await proof.prepare('sitOut', { table: name });
}, table);

/** Sits and plays until a hand with them is in play. */
async function inHand(at) {
  await at.player.sit();
  await until(() => at.player.turn.isVisible(), 'a turn', 40_000);
  await isReady(at);
}

test('a closed tab sits out, signed, and no hand is void for it', async () => {
  const at = await seated(service, { rules: 'holdem', company: true });
  await inHand(at);
  await at.page.goto('about:blank');
  await until(async () => (await seatOf(at)).sitting_out, 'the player sits out');
  const [, entry] = (await events(at)).findLast(([name]) => name === 'sat_out');
  assert.match(entry, /"cause":"asked"/);
  assert.match(entry, /"signed":\{/, 'the player signs it');
  assert.deepEqual((await events(at)).filter(([name]) => name === 'cooldown'), []);
  await at.done();
});

test('a tab that goes to another room of the page sits out; one that is loaded anew plays on', async () => {
  const at = await seated(service, { rules: 'holdem', company: true });
  await inHand(at);
  await at.page.reload();
  await settled(at.page);
  const stays = async () => {
    const list = (await events(at)).map(([name]) => name);
    return list.includes('sat_out') && list.lastIndexOf('sat_in') > list.lastIndexOf('sat_out');
  };
  await until(stays, 'the player sits in again');
  assert.equal((await seatOf(at)).sitting_out, false);
  await until(() => at.player.felt.locator('.poker-seat.own').count(), 'the seat');
  await isReady(at);
  await at.page.getByRole('banner').getByRole('link', { name: 'Lobby' }).first().click();
  await until(async () => (await seatOf(at)).sitting_out, 'the player sits out');
  await go(at.page, '/');
  await at.done();
});

test('who signs something while the sit-out is made gets another one: the first would be void', async () => {
  const visitor = await visit(service), { page } = visitor;
  await go(page, '/play/play.holdem-1');
  const made = await page.evaluate(async () => {
    const files = performance.getEntriesByType('resource').map(one => one.name);
    const moduleOf = name => import(files.find(file => new RegExp(`/${name}\\.js`).test(file)));
    const [{ Farewell }, { proof }, { session }] = await Promise.all(['farewell', 'proof', 'session'].map(moduleOf));
    session.player = 'ann';
    const signed = index => ({ by: 'player:ann', index });
    const table = { name: 't', story: [signed(1)], halted: null, view: { cash: { seats: [{ player: 'ann' }] } } };
    const farewell = new Farewell(table, {}), { prepare } = proof;
    const asked = [];
    proof.prepare = async () => {
      asked.push(farewell.table.story.at(-1).index);
      if (asked.length === 1) {
        table.story.push(signed(2));
        farewell.look();
      }
      return { path: '/', method: 'POST' };
    };
    farewell.look();
    while (farewell.isMaking) await new Promise(done => setTimeout(done, 10));
    Object.assign(proof, { prepare });
    table.view.cash.seats = [];
    farewell.close();
    return [...asked, farewell.made];
  });
  assert.deepEqual(made, [1, 2, 2]);
  await visitor.close();
});
