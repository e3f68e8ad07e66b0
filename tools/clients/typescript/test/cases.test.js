// The cases that both clients have (tools/clients/cases, which says what each kind of them is).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argsOf, casesOf, fairshoe, problem } from './harness.js';
import { House } from './house.js';

const { BadReply, BrokenOff, CheckFailed, Client, FairshoeError, InvalidInput, NoAnswer } = fairshoe;
const KINDS = {
  ...{ lie: CheckFailed, bad_reply: BadReply, no_answer: NoAnswer, broken_off: BrokenOff },
  ...{ bad_input: InvalidInput, error: FairshoeError },
};
const TIME = 1_800_000_000_000;
const LINES = { 'content-type': 'application/x-ndjson' };
const retry = { firstWaitMs: 1, mostWaitMs: 2 };
const isOurs = one => one.only !== 'python';

const textOf = given => (typeof given === 'string' ? given : given.map(([text, times]) => text.repeat(times)).join(''));
const entryOf = given => {
  if (!Array.isArray(given)) return textOf(given.text ?? given);
  const [by, command, events = [], at] = given;
  return JSON.stringify({ v: 1, time: TIME, by, ...(at ? { at } : {}), command, events });
};
const spoilt = (text, how) => (Array.isArray(how) ? text.replace(...how) : how);

function receiptsOf(house, { receipts, size, bare, counted, spoil = {} }) {
  const all = receipts.map((index, n) => {
    const { proof, ...one } = house.receipt(index, size);
    return { ...one, ...(bare ? {} : { proof }), ...(counted ? { index: index + n } : {}) };
  });
  for (const [field, how] of Object.entries(spoil))
    if (field === 'proof_of') all[0].proof = house.receipt(how).proof;
    else all[0][field] = spoilt(all[0][field], how);
  return all;
}

/** A signed note of a choice, or a line of an answer that holds one. */
function lineOf(house, line) {
  const note = (kind, decision, ...words) => {
    const command = { act: { table: 't', round_no: 0, decision, action: 'stand' } };
    return house.note(kind, TIME + (line.ms ?? 0), ...words, 'player:alice', JSON.stringify(command), '-');
  };
  const { status, reply, problem: code } = line;
  if (line.received !== undefined) return { received: spoilt(note('received', line.received), line.spoil ?? ['', '']) };
  if (reply) return { status, reply: { receipts: receiptsOf(house, reply) } };
  const refused = line.refused === undefined ? {} : { refused: note('refused', line.refused, code) };
  return { status, reply: problem(status, code, refused).body };
}

function answered(house, told) {
  if (told === 'lost') throw new TypeError('no answer');
  const { status = 200, headers = {}, body, text, hex, spoil, proof, lines, code, ...others } = told;
  const { receipts, size, bare, counted, ...more } = others;
  const answer = (said, type = 'application/json') =>
    new Response(said, { status, headers: { 'content-type': type, ...headers } });
  if (code) return answer(JSON.stringify(problem(status, code, more).body), 'application/problem+json');
  if (lines)
    return answer(lines.map(line => `${JSON.stringify(lineOf(house, line))}\n`).join(''), LINES['content-type']);
  if (proof !== undefined) {
    // Signed with the same key, where it is of another log.
    const signs = Object.assign(new House(), house, told.of ? { entries: told.of.map(entryOf) } : {});
    return answer(spoilt(signs.receipt(proof).proof, spoil ?? ['', '']), 'text/plain');
  }
  if (hex) return answer(Buffer.from(hex, 'hex'));
  if (text !== undefined) return answer(textOf(text));
  return answer(JSON.stringify(receipts ? { receipts: receiptsOf(house, told), ...more } : body));
}

/** A service that answers so, one after another and then as before, and the client before it. */
function serving(one) {
  const house = new House(),
    sent = [],
    heard = [];
  let at = 0,
    shown = 0;
  house.entries = (one.log ?? []).map(entryOf);
  const fetching = async (url, { method = 'GET', headers, body }) => {
    const { host, pathname, search, searchParams } = new URL(url);
    const [, width] = /^\/tile\/0\/000\.p\/(\d+)$/.exec(pathname) ?? [];
    if (width) return new Response(house.tile(Number(width)));
    if (pathname === '/checkpoint') return new Response(house.checkpoint(shown));
    searchParams.delete('received');
    const query = searchParams.size ? `?${searchParams}` : '';
    sent.push({ method, host, asked: search, line: `${method} ${pathname}${query}`, headers, body });
    const told = one.told[Math.min(at, one.told.length - 1)];
    at += 1;
    if (told.receipts || told.lines) shown = Math.max(shown, told.size ?? house.entries.length);
    return answered(house, told);
  };
  const client = new Client({
    ...{ addresses: one.addresses ?? 'http://a.example', logKey: house.key, token: '5'.repeat(64), retry },
    ...{ signer: null, fetch: fetching, notes: one.asks_notes, proofs: one.proofs ?? undefined },
    ...(one.player ? { player: one.player } : {}),
    onNote: ({ kind }) => heard.push(kind),
  });
  return { client, sent, heard };
}

function asks(client, { call, args, key }) {
  if (call === 'proveOwed') return client.proveOwed();
  return client[call](argsOf(call, args), { idempotencyKey: key });
}

async function isThrown(asked, fails, about) {
  const error = await asked.then(
    () => assert.fail(`${about}: nothing failed`),
    one => one,
  );
  const fits = [fails].flat().some(kind => (KINDS[kind] ? error instanceof KINDS[kind] : error.code === kind));
  assert.ok(fits, `${about}: ${fails}, not ${error.stack}`);
  return error;
}

async function carriedOut(one) {
  const { client, sent, heard } = serving(one);
  for (const call of one.calls) {
    if (call.fails === undefined) {
      const reply = await asks(client, call);
      if (one.heard) assert.match(reply.received, /^fairshoe received/);
      assert.equal(client.failure, null);
      continue;
    }
    const error = await isThrown((async () => asks(client, call))(), call.fails, one.about);
    if (error instanceof CheckFailed) assert.equal(client.failure, error);
    if (error.code === call.fails) assert.equal(error.detail, `because of ${call.fails}`);
    if (!one.tells_key) continue;
    assert.match(error.idempotencyKey, /^[0-9a-f]{32}$/);
    assert.equal(error.idempotencyKey, sent[0].headers['Idempotency-Key']);
  }
  if (one.keys) {
    const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
    assert.deepEqual(keys.map((key, n) => (one.keys.includes(key) ? key : one.keys[keys.indexOf(key)])), one.keys);
    assert.equal(new Set(keys).size, new Set(one.keys).size);
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
  }
  if (one.sent) assert.deepEqual(sent.map(({ line }) => line), one.sent);
  if (one.times !== undefined) assert.equal(sent.length, one.times);
  if (one.hosts) assert.deepEqual(sent.map(({ host }) => host.split(':')[0]), one.hosts);
  if (one.only_host) assert.deepEqual([...new Set(sent.map(({ host }) => host))], [one.only_host]);
  if (one.owed) assert.deepEqual(client.owed.map(({ index }) => index), one.owed);
  if (one.heard) assert.deepEqual(heard, one.heard);
  if (one.notes) assert.deepEqual((await client.notes()).map(({ kind }) => kind), one.notes);
  if (one.query !== undefined) assert.ok(sent.every(({ asked }) => asked.replace('?', '') === one.query));
}

for (const file of ['sending', 'owed', 'notes'])
  for (const one of casesOf(file).cases.filter(isOurs)) test(`${file}: ${one.about}`, () => carriedOut(one));

for (const { call, args, player, reply = {}, right, wrong } of casesOf('asked').cases)
  test(`an entry that is not what was asked for: ${call} ${JSON.stringify(args)}`, async () => {
    for (const [entries, fails] of [
      [right, undefined],
      [wrong, 'lie'],
    ])
      for (const [by, command, events, only] of entries) {
        if (only === 'python') continue;
        const told = [{ receipts: [0], ...reply }];
        const about = JSON.stringify([by, command]);
        await carriedOut({ about, player, log: [[by, command, events]], told, calls: [{ call, args, fails }] });
      }
  });

const PART = {
  ...{ round: 't:3', rules: 'joy', begun: 1, ended: 2, player: 'alice', outcome: 'won', unit: 'money', staked: 5 },
  ...{ returned: 9, net: 4, cause: null, first_entry: 7, last_entry: 9 },
};
for (const { rounds, change, transactions, raw = '', count, fails } of casesOf('lists').cases.filter(isOurs))
  test(`lists: ${JSON.stringify([rounds ?? transactions, change, raw])} ${fails}`, async () => {
    const posted = transactions?.map(([index, amount, balance]) => ({
      ...{ index, time: 5, what: 'bet', by: 'player:alice', table: null, amount, balance },
    }));
    const rows = posted ?? [{ ...PART, ...change }];
    const body = rows.map(row => `${JSON.stringify(row)}\n`).join('') + textOf(raw);
    const fetching = () => Promise.resolve(new Response(body, { headers: LINES }));
    const client = new Client({ addresses: 'http://a.example', retry: { attempts: 1 }, fetch: fetching });
    const found = [];
    const read = async () => {
      for await (const one of posted ? client.eachTransaction('alice') : client.eachRound(rounds)) found.push(one);
    };
    if (fails === undefined) await read();
    else await isThrown(read(), fails, body.slice(0, 200));
    if (count !== undefined) assert.deepEqual(found, rows.slice(0, count));
  });

test('chips are shown exactly, in the currency of the house', () => {
  for (const [chips, currency, shown] of casesOf('chips').cases)
    if (shown === null) assert.throws(() => fairshoe.formatChips(chips, currency), InvalidInput);
    else assert.equal(fairshoe.formatChips(chips, currency), shown);
});

/** The events of a stream. */
const eventsOf = given =>
  given.text ??
  given.replace(/(\d+)(?:\/(\d+)(!?)(?:@(\w+))?|\.1) ?/g, (whole, index, seq, closes, table = 't') => {
    if (seq === undefined) return `id: ${index}.1\nevent: openings\ndata: []\n\n`;
    const events = closes ? [{ table_closed: {} }] : [];
    const entry = JSON.stringify({ at: { table, seq: Number(seq) }, command: {}, events });
    return `id: ${index}\nevent: entry\ndata: ${entry}\n\n`;
  });

for (const { about, behind, streams, got, asked, fails } of casesOf('streams').cases.filter(isOurs))
  test(`streams: ${about}`, async () => {
    const sent = [],
      seen = [];
    const fetching = (_, { headers }) => {
      const told = streams[Math.min(sent.length, streams.length - 1)];
      sent.push(headers['Last-Event-ID'] ?? null);
      if (told === 'lost') return Promise.reject(new TypeError('no answer'));
      const status = typeof told === 'number' ? told : 200;
      const refusal = problem(status, status === 404 ? 'unknown_table' : 'busy').body;
      const media = { 'content-type': told.type ?? 'text/event-stream' };
      const body = status === 200 ? eventsOf(told) : JSON.stringify(refusal);
      return Promise.resolve(new Response(body, { status, headers: media }));
    };
    const client = new Client({ addresses: 'http://a.example', fetch: fetching, retry });
    const read = async () => {
      for await (const { id } of client.tableEvents('t', { lastEventId: behind })) seen.push(id);
    };
    if (fails) await isThrown(read(), fails, about);
    else await read();
    if (got) assert.equal(seen.join(' '), got);
    if (asked) assert.deepEqual(sent, asked);
    if (!streams.length) assert.deepEqual(sent, []);
  });
