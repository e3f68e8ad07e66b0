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

test('a table that is not there has no stream', options, async () => {
  await assert.rejects(service.client().tableEvents('nowhere').next(), error => error.code === 'unknown_table');
});

const stream = { 'content-type': 'text/event-stream' };
const textOf = (seq, { table = 't1', last = false } = {}) =>
  JSON.stringify({ at: { table, seq }, command: {}, events: last ? [{ table_closed: {} }] : [] });
const entry = (index, seq, more) => `id: ${index}\nevent: entry\ndata: ${textOf(seq, more)}\n\n`;
const openings = index => `id: ${index}.1\nevent: openings\ndata: []\n\n`;
const reading = async (server, options) => {
  const seen = [];
  for await (const event of new fairshoe.Client({ addresses: server.url }).tableEvents('t1', options))
    seen.push(event);
  return seen;
};

test('a busy service is asked again for its stream', async () => {
  const [head, tail] = textOf(0).split(/(?<="command":{},)/);
  const text =
    `id: 4\r\nevent: entry\r\ndata: ${head}\r\ndata: ${tail}\r\n\r\n: still here\r\n\r\n` + entry(5, 1, { last: true });
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

test('a break between an entry and its openings loses neither, and tells nothing twice', async () => {
  const texts = [
    entry(3, 0) + openings(3) + entry(5, 1),
    openings(5) + entry(9, 2, { last: true }),
  ];
  const server = await fake((_, count) => ({ headers: stream, body: texts[(count - 1) % 2] }));
  const seen = await reading(server);
  assert.deepEqual(
    seen.map(({ id, type }) => `${id} ${type}`),
    ['3 entry', '3.1 openings', '5 entry', '5.1 openings', '9 entry'],
  );
  // Whoever comes back later goes on behind any event; a number is an entry with all that belongs to it.
  await reading(server, { lastEventId: 2 });
  assert.deepEqual(
    server.seen.map(({ headers }) => headers['last-event-id']),
    [undefined, '5', '2.2', '5'],
  );
  await server.close();
  const later = await fake(() => ({ headers: stream, body: texts[1] }));
  assert.deepEqual(
    (await reading(later, { lastEventId: '5' })).map(({ id }) => id),
    ['5.1', '9'],
  );
  for (const lastEventId of [5, '5.1', '5.2'])
    await assert.rejects(reading(later, { lastEventId }), /openings of entry 5 again/);
  for (const lastEventId of [-1, 0.5, Number.NaN, '', '5.3', '05', 'x'])
    await assert.rejects(reading(later, { lastEventId }), /the id of no event/);
  await later.close();
});

test('a stream of another table, with a gap, backwards or of something else is no stream', async () => {
  const own = `id: 3.2\nevent: own\ndata: {"round":"t2:0","cards":[],"openings":[]}\n\n`;
  for (const [body, words] of [
    [entry(3, 0, { table: 't2' }), /not of t1/],
    [entry(3, 0) + entry(4, 2), /does not follow/],
    [entry(3, 0) + entry(2, 1), /does not follow/],
    [entry(3, 0) + openings(4), /without their entry/],
    [entry(3, 0) + own, /own cards of t2:0/],
    [entry(3, 0) + 'id: 3.1\nevent: openings\ndata: 7\n\n', /no list/],
    [entry(3, 0) + 'id: 3\nevent: openings\ndata: []\n\n', /openings with the id 3$/],
    [entry(3, 0) + openings(3) + openings(3), /again/],
    [entry(3, 0) + entry(3, 1), /does not follow/],
    ['id: 3\nevent: entry\ndata: nothing\n\n', /not JSON/],
    ['id: 3\nevent: entry\ndata: {"command":{},"events":[null]}\n\n', /no command and events/],
  ]) {
    const server = await fake(() => ({ headers: stream, body }));
    await assert.rejects(
      reading(server),
      error => error instanceof fairshoe.BadReply && words.test(error.message),
      body,
    );
    await server.close();
  }
  const page = await fake(() => ({ headers: { 'content-type': 'text/html' }, body: '<html>' }));
  await assert.rejects(reading(page), fairshoe.BadReply);
  await page.close();
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
