// A table's events as they happen, over broken connections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindProxy, fake, fairshoe, internal, noService, problem, sleep } from './harness.js';
import { betting, playing } from './strategies.js';

let service, proxy;
behindProxy((...made) => {
  [service, proxy] = made;
});
const options = { skip: noService };

const newest = ({ entries }) => entries.at(-1).index;

test('every entry comes once in its order, though the connection breaks again and again', options, async () => {
  const client = await service.player('watched', 10_000);
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  const entries = [],
    openings = new Set();
  const watching = (async () => {
    const watcher = service.client({ addresses: proxy.url });
    for await (const event of watcher.tableEvents(table, { lastEventId: 0 })) {
      if (event.type === 'entry') entries.push(event);
      if (event.type === 'openings') {
        assert.equal(entries.at(-1).index, event.index);
        event.openings.forEach(({ slot, shoe_no: shoe }) => openings.add(`${shoe}/${slot}`));
      }
    }
  })();
  for (let round = 0; round < 4; round += 1) {
    await playing(at, betting(), 1);
    while (entries.at(-1)?.index !== newest(await client.listTableEntries({ table, query: { limit: 256 } })))
      await sleep(20);
    proxy.cut();
  }
  await client.closeTable({ table });
  await watching;
  const { entries: all } = await client.listTableEntries({ table, query: { limit: 256, proofs: true } });
  assert.deepEqual(
    entries.map(({ index, entry }) => ({ index, entry })),
    all.filter(({ index }) => index > 0).map(({ index, entry }) => ({ index, entry })),
  );
  assert.ok(openings.size >= 12, `${openings.size} faces were opened on the way`);
  assert.ok(proxy.requests(/\/events$/).length >= 4, 'it came back');
  const last = proxy.requests(/\/events$/).at(-1).headers['last-event-id'];
  assert.ok(Number.parseInt(last, 10) > 0, 'behind the last one that it had');
});

test('a signal ends a stream, and so does leaving its loop', options, async () => {
  const client = service.client({ addresses: proxy.url });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 200);
  await assert.rejects(
    (async () => {
      for await (const event of client.tableEvents('joy-1', { signal: stop.signal, lastEventId: 1e6 }))
        assert.ok(event);
    })(),
    /enough/,
  );
  for await (const event of client.tableEvents('joy-1', { lastEventId: 0 })) {
    assert.equal(event.type, 'entry');
    break;
  }
});

const stream = { 'content-type': 'text/event-stream' };
const textOf = (seq, events = []) => JSON.stringify({ at: { table: 't1', seq }, command: {}, events });
const reading = async server => {
  const seen = [];
  for await (const event of new fairshoe.Client({ addresses: server.url }).tableEvents('t1'))
    seen.push(event);
  return seen;
};

test('a busy service is asked again for its stream', async () => {
  const [head, tail] = textOf(0).split(/(?<="command":{},)/);
  const text =
    `id: 4\r\nevent: entry\r\ndata: ${head}\r\ndata: ${tail}\r\n\r\n: still here\r\n\r\n` +
    `id: 5\nevent: entry\ndata: ${textOf(1, [{ table_closed: {} }])}\n\n`;
  const server = await fake((_, count) =>
    count === 1 ? problem(503, 'busy', { retry: 1 }) : { headers: stream, body: text },
  );
  const seen = await reading(server);
  assert.deepEqual(
    seen.map(({ index }) => index),
    [4, 5],
  );
  assert.equal(seen[0].entry, `${head}\n${tail}`);
  await server.close();
});

test('a pause without an end is told instead of waited for, or passed over at once', async () => {
  // More than a timer can hold: it would go off at once, a thousand times a second.
  const server = await fake(() => problem(503, 'busy', { retry: 4_000_000 }));
  await assert.rejects(reading(server), error => error.code === 'busy' && error.retryAfterMs === 4_000_000_000);
  assert.equal(server.seen.length, 1);
  await server.close();
});

test('an event without an end does not fill the memory', async () => {
  const { parseEvents } = await internal('events');
  let chunks = 0;
  async function* endless() {
    const chunk = new TextEncoder().encode(`data: ${'x'.repeat(64)}\n`.repeat(4096));
    for (;;) {
      chunks += 1;
      if (chunks > 200) throw new Error('it reads on without an end');
      yield chunk;
    }
  }
  await assert.rejects(parseEvents(endless()).next(), /has no end/);
});

test('the stream of a table that is closed already ends behind its last entry', options, async () => {
  const client = await service.player('closer', 10_000);
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  await client.closeTable({ table });
  const types = [];
  for await (const event of client.tableEvents(table, { lastEventId: 0, signal: AbortSignal.timeout(8000) }))
    types.push(event.type);
  assert.ok(types.length > 0);
  const { entries } = await client.listTableEntries({ table });
  const behind = client.tableEvents(table, { lastEventId: entries.at(-1).index, signal: AbortSignal.timeout(8000) });
  assert.deepEqual(await behind.next().catch(error => error.code), { value: undefined, done: true });
});
