// What the house signs beside the log: asked for with each command, heard before the answer, kept until the log has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindProxy, fairshoe, internal, noService, problem, to } from './harness.js';
import { House } from './house.js';
import { betting, playing } from './strategies.js';

const { Client, MemoryStore, NoAnswer, ProblemError, linesOfNotes } = fairshoe;
const retry = { attempts: 2, firstWaitMs: 1, mostWaitMs: 1 };
const TIME = 1_800_000_000_000;
const command = decision => ({ act: { table: 't', round_no: 0, decision, action: 'stand' } });
const act = (client, decision = 0, more = {}) =>
  client.act({ id: 't:0', body: { decision, action: 'stand' }, ...more });

/** A house that signs for a choice at once; `answers(index, note, decision)` says what its reply is. */
async function signing(answers, options = {}) {
  const house = new House();
  const server = await house.serve(({ method, body }) => {
    if (method === 'GET') return undefined;
    const { decision } = JSON.parse(body);
    const note = house.note('received', TIME, 'player:alice', JSON.stringify(command(decision)), '-');
    return answers(house, note, decision);
  });
  const given = { addresses: server.url, logKey: house.key, token: 't', player: 'alice', retry, ...options };
  return { house, server, given, client: new Client(given) };
}
const LINES = { 'content-type': 'application/x-ndjson' };
const lines = (...all) => ({ headers: LINES, body: all.map(line => `${JSON.stringify(line)}\n`).join('') });
const done = (house, note, decision) => {
  const index = house.append('player:alice', command(decision), { at: { table: 't', seq: 0 } });
  return lines({ received: note }, { status: 200, reply: { receipts: [house.receipt(index)] } });
};
const refusedNote = (house, decision) =>
  house.note('refused', TIME, 'deadline_passed', 'player:alice', JSON.stringify(command(decision)), '-');
const refusal = (house, note, decision, of = decision) =>
  lines(
    { received: note },
    { status: 409, reply: problem(409, 'deadline_passed', { refused: refusedNote(house, of) }).body },
  );

test('whoever says so is not signed for, with all calls or with one', async () => {
  const plain = (house, _, decision) => {
    const index = house.append('player:alice', command(decision), { at: { table: 't', seq: 0 } });
    return { body: { receipts: [house.receipt(index)] } };
  };
  const { client, server, given } = await signing(plain);
  await act(new Client({ ...given, notes: 'asked-for' }));
  await act(client, 1, { query: { received: undefined } });
  for (const { asked } of server.seen) assert.doesNotMatch(asked, /received/);
  await server.close();
});

test('a note is kept before the answer is there, and stays where none comes', async () => {
  const store = new MemoryStore();
  const { house, given, server } = await signing(done);
  const note = house.note('received', TIME, 'player:alice', JSON.stringify(command(0)), '-');
  let heard;
  const isHeard = new Promise(hear => {
    heard = hear;
  });
  const fetching = () => {
    const body = new ReadableStream({
      async start(at) {
        at.enqueue(new TextEncoder().encode(`${JSON.stringify({ received: note })}\n`));
        // The second line waits for the first one to be kept, and never comes.
        await isHeard;
        at.error(new Error('the service died'));
      },
    });
    return Promise.resolve(new Response(body, { headers: LINES }));
  };
  await server.close();
  const dying = new Client({ ...given, store, retry: { attempts: 1 }, fetch: fetching, onNote: heard });
  await store.set(`checkpoint of ${house.key}`, house.checkpoint());
  await assert.rejects(act(dying), NoAnswer);
  const kept = await new Client({ ...given, store }).notes();
  assert.deepEqual(kept, [{ kind: 'received', note }]);
  assert.equal(linesOfNotes(kept), `${JSON.stringify({ received: note })}\n`);
});

test('of many notes the newest are kept', async () => {
  const { MOST_NOTES, Notes } = await internal('notes');
  const notes = new Notes(new MemoryStore());
  for (let at = 0; at < MOST_NOTES + 3; at += 1)
    await notes.keep('x', { kind: 'refused', note: `fairshoe refused/v1\nx\n${at}\nc\nplayer:a\n{}\n-\n` });
  const kept = await notes.all('x');
  assert.deepEqual([kept.length, kept[0].note.split('\n')[2]], [MOST_NOTES, '3']);
});

let service, proxy;
behindProxy((...both) => {
  [service, proxy] = both;
});
const options = { skip: noService };

test('at a service whole rounds leave no note, and an answer that is lost leaves one', options, async () => {
  const client = await service.player('noticing', 10_000, { addresses: proxy.url, retry: { attempts: 1 } });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  await playing(at, betting(), 2);
  assert.deepEqual(await client.notes(), []);
  proxy.change(to(/POST .*\/bets$/), text => text.slice(0, text.indexOf('\n') + 1));
  await assert.rejects(at.bet([{ spot: '1', stake: 10 }]), NoAnswer);
  const [{ kind, note }] = await client.notes();
  assert.equal(kind, 'received');
  assert.match(note, /\nplayer:noticing\n\{"bet":/);
});
