// A table's events as they happen, over broken connections.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Proxy, Service, fake, fairshoe, noService, problem, sleep } from './harness.js';
import { betting, playing } from './strategies.js';

let service, proxy;
const options = { skip: noService };
before(async () => {
  if (noService) return;
  service = await Service.start(['--connections-per-address', '0']);
  proxy = await Proxy.before(service.url);
});
after(async () => {
  await proxy?.close();
  await service?.end();
});

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
  assert.ok(Number(last) > 0, 'behind the last one that it had');
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

test('a busy service is asked again for its stream', async () => {
  const text =
    'id: 4\r\nevent: entry\r\ndata: {"command":{},\r\ndata: "events":[]}\r\n\r\n: still here\r\n\r\n' +
    'id: 5\nevent: entry\ndata: {"command":{},"events":[{"table_closed":{}}]}\n\n';
  const server = await fake((_, count) =>
    count === 1 ? problem(503, 'busy', { retry: 1 }) : { headers: { 'content-type': 'text/event-stream' }, body: text },
  );
  const seen = [];
  for await (const event of new fairshoe.Client({ addresses: server.url }).tableEvents('t1')) seen.push(event);
  assert.deepEqual(
    seen.map(({ index }) => index),
    [4, 5],
  );
  assert.equal(seen[0].entry, '{"command":{},\n"events":[]}');
  await server.close();
});

test('a break between an entry and its openings loses neither, and tells nothing twice', async () => {
  const entry = index => `id: ${index}\nevent: entry\ndata: {"command":{},"events":[]}\n\n`;
  const openings = index => `id: ${index}\nevent: openings\ndata: []\n\n`;
  const last = 'id: 9\nevent: entry\ndata: {"command":{},"events":[{"table_closed":{}}]}\n\n';
  const texts = [entry(3) + openings(3) + entry(5), entry(5) + openings(5) + last];
  const server = await fake((_, count) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: texts[count - 1],
  }));
  const seen = [];
  for await (const { index, type } of new fairshoe.Client({ addresses: server.url }).tableEvents('t1'))
    seen.push(`${index} ${type}`);
  assert.deepEqual(seen, ['3 entry', '3 openings', '5 entry', '5 openings', '9 entry']);
  assert.equal(server.seen[0].headers['last-event-id'], undefined);
  assert.equal(server.seen[1].headers['last-event-id'], '3');
  await server.close();
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
