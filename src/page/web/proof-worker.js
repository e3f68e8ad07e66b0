// The judge in a worker: fairshoe-verify.js, and on top of it the client that players install (client.js). The client
// knows the log's key and newest checkpoint, keeps seeds, follows tables, and sends binding requests. Loaded once there
// is something to check. Its answers are plain data; the page decides what a failed check means for play (proof.js,
// duties.js).
/* global fairshoe, importScripts */

// A classic worker loads modules only by `import()`. It runs once the script below is loaded, and loads in parallel.
const asked = import('./client.js');
importScripts('./fairshoe-verify.js');

let library = null,
  make = null,
  client = null;

/** The tables open in the page. */
const tables = new Map();
let numbered = 0,
  questions = 0;

// --- Storage: the page holds it, because a worker has none ----------------------------------------------------------

const storing = new Map();
const ofStore =
  action =>
  (...given) =>
    new Promise((resolve, reject) => {
      storing.set(++questions, { resolve, reject });
      postMessage({ store: questions, action, given });
    });
const store = Object.fromEntries(['get', 'set', 'delete', 'names'].map(action => [action, ofStore(action)]));

function stored({ stored: number, value, error }) {
  const { resolve, reject } = storing.get(number);
  storing.delete(number);
  if (error === undefined) resolve(value);
  else reject(new Error(error));
}

const onWait = waiting => {
  const { ms, error } = waiting ?? {};
  postMessage({ waiting: waiting && { ms, code: error.code, leader: error.leader } });
};

/** The client of the player who is signed in now. */
async function begin({ player, token }, retry) {
  const { Client } = (library = await asked);
  const onKey = () => postMessage({ isKeyed: true });
  make = () => new Client({ addresses: location.origin, store, onKey, retry: { ...retry, onWait } });
  client ??= make();
  if (client.player === player && client.token === token) return;
  if (player === null) client.signOut();
  else client.resume(player, token);
}

// --- Checks ----------------------------------------------------------------------------------------------------------

/**
 * Runs a check: `{ok: true, …}`, or `{ok: false, failed, evidence}`. An input that cannot be judged throws, and is no
 * failed check. After a failed one the client sends nothing binding.
 */
async function judged(check) {
  try {
    return { ok: true, ...(await check()) };
  } catch (error) {
    if (error.name !== 'CheckFailed') throw error;
    try {
      client.fail(error);
    } catch {
      // It throws the first failure of all.
    }
    const { check: name, detail, entry, table, evidence } = error;
    const failed = { check: name, message: detail, entry: entry ?? undefined, table: table ?? undefined };
    return { ok: false, failed, evidence };
  }
}

/** An error as data: of an error class only its words would arrive. */
const dataOf = ({ name, message, status, code, detail, leader, replacedBy, refused }) => ({
  name,
  message: message || name,
  status,
  code,
  detail,
  leader,
  replacedBy,
  refused,
});

const logKnown = () => ({ log: { vkey: client.logKey, checkpoint: client.checkpoint } });

/** A table's state, for the page to show. Faces that the page already has are not sent again. */
function standing({ table, heard, sent }) {
  const all = new Map(table.faces.map(face => [`${face.shoe}/${face.slot}`, face]));
  const faces = [...all].flatMap(([name, face]) => {
    const state = `${face.state} ${face.opening ? 1 : 0}`;
    if (sent.get(name) === state) return [];
    sent.set(name, state);
    return [face];
  });
  const { info, round, state, own, isPending, checkpoint } = table;
  return { info, round, state, own, isPending, checkpoint, faces, entries: heard.splice(0) };
}

/** Runs an action at an open table; returns the state afterwards, for any result. */
async function atTable(id, action) {
  const held = tables.get(id);
  if (!held) throw new Error(`no table is open under ${id}`);
  const reply = await judged(async () => ({ value: await action(held.table) })).catch(error => ({
    ok: true,
    error: dataOf(error),
  }));
  return { ...reply, ...standing(held), evidence: reply.ok ? null : (reply.evidence ?? held.table.evidence()) };
}

/** Whether the sent commitment is to this seed of the player: a stored seed has priority. */
async function isCommitted({ receipts: [{ entry }] }, chosen) {
  const [{ table, round_no: roundNo, commitment }] = Object.values(JSON.parse(entry).command);
  const { name: origin } = fairshoe.readLogKey(client.logKey);
  const kept = await client.seeds.find(origin, table, roundNo, client.player, commitment);
  return kept?.seed === chosen;
}

const events = new Map();
/** A tournament, whose entries are read once. */
function eventOf(name) {
  if (!events.has(name)) events.set(name, client.tournament(name));
  return events.get(name);
}

/** The numbers of a draw of seats (spec/games/tournaments.md, 3) in the context of its event. */
const { concat, hex, unhex, label, u64, sha256, tableContext } = fairshoe;
const u16 = number => Uint8Array.of(number >> 8, number & 255);
const named = text => concat(u16(text.length), new TextEncoder().encode(text));
const contextOf = ({ origin, event, epoch }) => tableContext(origin, event, epoch);

const PEN = new Set(['keyState', 'keyFile', 'takeKeyFile', 'nextKey', 'signs', 'signWithdrawal']);

const CALLS = {
  /** The log's key and newest checkpoint: pinned at the first visit, and the same at every later one. */
  log: () =>
    judged(async () => {
      await client.getLog();
      return logKnown();
    }),
  /** Checks a signed checkpoint: by the pinned key, and in the history that this browser knows. */
  checkpoint: ({ checkpoint }) =>
    judged(async () => {
      await client.holdCheckpoint(checkpoint);
      return logKnown();
    }),
  /** What the house signed beside the log, as a file for the audit, and how many notes that is. */
  notes: () =>
    judged(async () => {
      const notes = await client.notes();
      return { value: { count: notes.length, text: library.linesOfNotes(notes) } };
    }),
  /** A call of the contract by its name there; what it answers is held against what was asked for. */
  call: ({ id, args, key }) => judged(async () => ({ value: await client[id](args, { idempotencyKey: key }) })),
  /** The player's own key: the client's method of this name (`PEN`). */
  /** A call as it would be sent now, signed, for a page that is being closed. */
  prepare: ({ id, args }) => judged(async () => ({ value: await client.prepare(id, args) })),
  key: ({ action, given }) =>
    judged(async () => {
      if (!PEN.has(action)) throw new Error(`a key does not ${action}`);
      return { value: await client[action](...given) };
    }),
  /** A guest with play chips. */
  guest: () =>
    judged(async () => {
      if (client.failure) throw client.failure;
      // With a separate client: the player who is signed in stays so until the guest is ready.
      const guest = make(),
        { balance } = await guest.joinAsGuest();
      return { value: { player: guest.player, token: guest.token, balance } };
    }),
  /** The player of this ticket from the house's own page, also with a separate client. */
  enter: ({ ticket }) =>
    judged(async () => {
      if (client.failure) throw client.failure;
      const entered = make(),
        { balance, guest, key } = await entered.joinByTicket(ticket);
      return { value: { player: entered.player, token: entered.token, balance, key, isGuest: guest === true } };
    }),

  // A table, followed entry by entry.
  openTable: async ({ name }) => {
    const id = ++numbered,
      heard = [];
    const table = client.table(name, { onEntry: taken => heard.push(taken) });
    tables.set(id, { table, heard, sent: new Map() });
    const reply = await atTable(id, () => table.open().then(() => undefined));
    if (reply.error) tables.delete(id);
    return { ...reply, id, newest: table.newest };
  },
  /** Runs a method of the client's table. */
  atTable: ({ id, action, given }) => atTable(id, table => table[action](...given)),
  /** Commits to a seed, `chosen` or a fresh one, by a method of the client's table; `isChosen`: to `chosen`. */
  commitAt: ({ id, action, given: [what, ...more], chosen }) =>
    atTable(id, async table => {
      const accepted = await table[action](what, chosen, ...more);
      return { ...accepted, isChosen: chosen !== null && (await isCommitted(accepted, chosen)) };
    }),
  /** Requests in progress continue to their end. */
  closeTable: ({ id }) => ({ ok: tables.delete(id) }),
  forgetSeeds: async ({ origin, table, player, upTo }) => ({
    ok: true,
    value: await client.seeds.forget(origin, table, player, upTo),
  }),

  // Draws of seats.
  register: ({ event, pay, chosen }) =>
    judged(async () => ({ value: await eventOf(event).register(pay, undefined, chosen) })),
  revealSeat: ({ event }) => judged(async () => ({ value: await eventOf(event).reveal() })),
  forgetSeatSeeds: async ({ event, view }) => ({ ok: true, value: await eventOf(event).forgetSeeds(view) }),
  /** The commitment to a seed for a seat. */
  seatCommitment: ({ seed, ...place }) => ({ ok: true, value: library.seatCommitmentTo(seed, place) }),
  /** The link before the one that draw `draw` published; for draw 0 it is the tip. */
  drawBefore: ({ draw, link, ...event }) => ({
    ok: true,
    value: hex(sha256(concat(label('draw-chain'), contextOf(event), u64(draw), unhex(link, 32)))),
  }),
  /** E_d over the published seeds, ascending by entry: `[{entry_no, player, seed}]`; `running` is X. */
  drawEntropy: ({ draw, link, running, seeds, ...event }) => {
    const records = [...seeds]
      .sort((one, other) => one.entry_no - other.entry_no)
      .map(one => concat(u64(one.entry_no), named(one.player), unhex(one.seed, 32)));
    const parts = [label('draw'), contextOf(event), u64(draw), unhex(link, 32), unhex(running, 32), u16(seeds.length)];
    return { ok: true, value: hex(sha256(concat(...parts, ...records))) };
  },

  bundle: ({ text, vkey = client.logKey }) => {
    const { verdict, findings, story, key, key_trusted, round } = fairshoe.verifyBundle(text, vkey);
    return {
      ok: verdict !== 'not_sound',
      failed: findings[0] || null,
      verdict,
      findings,
      story,
      key,
      key_trusted,
      round,
    };
  },
  replay: ({ text, round = null, vkey = client.logKey }) => {
    const replay = fairshoe.replayOf(text, round, vkey);
    return { ok: replay.verdict !== 'not_sound', failed: replay.findings[0] || null, ...replay };
  },
};

onmessage = async ({ data }) => {
  if (data.stored !== undefined) return stored(data);
  const { number, name, given, who, retry } = data;
  try {
    if (!Object.hasOwn(CALLS, name)) throw new Error(`the verifier has no call ${name}`);
    await begin(who, retry);
    return postMessage({ number, reply: await CALLS[name](given) });
  } catch (error) {
    return postMessage({ number, error: dataOf(error), unusable: error instanceof fairshoe.Unusable });
  }
};
