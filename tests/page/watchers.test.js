// Five hundred watchers of one table during play: every one of them gets every entry, and play takes at most twice as
// long as without them. Times are printed; only the slow run, on a quiet machine, enforces that.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bot } from './bots.js';
import { Service, slow } from './harness.js';
import { measure } from './watchers.js';

let service;
before(async () => { service = await Service.start({ options: ['--connections-per-address', '0'] }); });
after(() => service.end());

test('500 watchers of a table hear all of it, and play goes on', { timeout: 170_000 }, async t => {
  const player = await Bot.credited(service, 'ann');
  const given = { service: service.url, token: player.token, player: player.player, table: 'joy-1', watchers: 500 };
  const seen = await measure({ ...given, rounds: slow ? 300 : 40 });
  const ms = value => `${value.toFixed(1)} ms`;
  t.diagnostic(`${seen.calls} calls: p99 alone ${ms(seen.alone)}, with 500 watchers ${ms(seen.watched)}, `
    + `ratio ${(seen.watched / seen.alone).toFixed(2)}; median ${seen.median.map(ms).join(' and ')}`);
  const heard = `a watcher heard ${seen.least} of ${seen.entries} entries`;
  assert.ok(seen.entries >= 80 && seen.least >= seen.entries, heard);
  assert.equal(seen.least, seen.most, 'all heard the same');
  if (slow) assert.ok(seen.watched <= 2 * seen.alone, `p99 ${ms(seen.alone)} became ${ms(seen.watched)}`);
});
