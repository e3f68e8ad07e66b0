// The judge beside the page: fairshoe-verify.js, and over it the client that players install (client.js), which knows the
// log's key and newest checkpoint, keeps seeds, and sends what binds. Loaded once there is something to check; holds a
// follower for each table that is open. What it answers is plain data; what a failed check means for play is the page's
// (proof.js, duties.js).
/* global fairshoe, importScripts */

// A worker that takes a script takes modules by `import()` alone. It runs once the script below is here, and comes
// beside it.
const asked = import('./client.js');
importScripts('./fairshoe-verify.js');

let library = null,
  make = null,
  client = null;

const followers = new Map();
let numbered = 0,
  questions = 0;

// --- What is kept, which lies in the page's own storage: a worker has none ------------------------------------------

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

/** The client, of whoever plays in the page by now. */
async function begin({ player, token }, retry) {
  const { Client } = (library = await asked);
  make = () => new Client({ addresses: location.origin, store, retry: { ...retry, onWait } });
  client ??= make();
  if (client.player === player && client.token === token) return;
  if (player === null) client.signOut();
  else client.resume(player, token);
}

// --- Checks ---------------------------------------------------------------------------------------------------------

/** A check that did not hold, as data; anything else is thrown on. */
function failureOf(error) {
  const { check, entry, table, evidence } = error;
  if (error.name === 'CheckFailed') {
    const failed = { check, message: error.detail, entry: entry ?? undefined, table: table ?? undefined };
    return { failed, evidence };
  }
  if (!(error instanceof fairshoe.Unsound)) throw error;
  const failed = { check, message: error.message, entry, table };
  return { failed, evidence: evidence ? { name: `${check}.json`, text: evidence } : null };
}

/**
 * Runs a check: `{ok: true, …}`, or `{ok: false, failed, evidence}`; `held` is the evidence where the check has
 * none of its own. What cannot be judged is thrown, and is no failed check. After one the client sends nothing that
 * binds.
 */
async function judged(check, held = null) {
  try {
    return { ok: true, ...(await check()) };
  } catch (error) {
    const { failed, evidence } = failureOf(error);
    try {
      client.fail(failed, evidence ?? held);
    } catch {
      // It throws the first failure of all.
    }
    return { ok: false, failed, evidence: evidence ?? held };
  }
}

const logKnown = () => ({ log: { vkey: client.logKey, checkpoint: client.checkpoint } });

const tableOf = follower => (typeof follower.table === 'function' ? follower.table() : follower.tableState());

/** What changed of a follower's table, for the page to show. Faces that the page has are not sent again. */
function standing(held, change) {
  const { follower, sent } = held;
  const faces = follower.faces().filter(face => {
    const name = `${face.shoe}/${face.slot}`,
      state = `${face.state} ${face.opening ? 1 : 0}`;
    if (sent.get(name) === state) return false;
    sent.set(name, state);
    return true;
  });
  return {
    view: follower.view(),
    table: tableOf(follower),
    faces,
    needs: follower.needs,
    size: follower.size,
    checkpoint: follower.checkpoint,
    change: change && { entries: change.entries, proven: change.proven, older: change.older },
  };
}

function withFollower(id, action) {
  const held = followers.get(id);
  if (!held) throw new Error(`no table is followed under ${id}`);
  return judged(() => standing(held, action(held.follower))).then(reply => {
    if (reply.ok) return reply;
    const { follower } = held;
    return {
      ...reply,
      evidence: reply.evidence || follower.evidence(),
      view: follower.view(),
      table: tableOf(follower),
    };
  });
}

const events = new Map();
/** A tournament, whose entries are read once. */
function eventOf(name) {
  if (!events.has(name)) events.set(name, client.tournament(name));
  return events.get(name);
}

/** The numbers of a draw of seats (spec/games/tournaments.md, 3), which is in the context of its event. */
const { concat, hex, unhex, label, u64, sha256, tableContext } = fairshoe;
const u16 = number => Uint8Array.of(number >> 8, number & 255);
const named = text => concat(u16(text.length), new TextEncoder().encode(text));
const contextOf = ({ origin, event, epoch }) => tableContext(origin, event, epoch);

const CALLS = {
  /** The log's key and newest checkpoint: pinned at the first visit, the same at every later one. */
  log: () =>
    judged(async () => {
      await client.getLog();
      return logKnown();
    }),
  /** A signed checkpoint: by the pinned key, and of the history that this browser knows. */
  checkpoint: ({ checkpoint }) =>
    judged(async () => {
      await client.holdCheckpoint(checkpoint);
      return logKnown();
    }),
  /** A call of the contract by its name there; what it answers is held against what was asked for. */
  call: ({ id, args, key }) => judged(async () => ({ value: await client[id](args, { idempotencyKey: key }) })),
  /** A guest with play chips. */
  guest: () =>
    judged(async () => {
      if (client.failure) throw client.failure;
      // By a client of their own: whoever plays here does so until the guest does.
      const guest = make(),
        { balance } = await guest.joinAsGuest();
      return { value: { player: guest.player, token: guest.token, balance } };
    }),

  // Seeds: each is in the store before its commitment is told to anybody.
  prepareSeed: async ({ place, bets, chosen }) => ({ ok: true, kept: await client.seeds.prepare(place, bets, chosen) }),
  betsStand: async ({ place, bets }) => ({ ok: true, kept: await client.seeds.stands(place, bets) }),
  findSeed: async ({ origin, table, roundNo, player, commitment, bound }) => {
    const kept = await client.seeds.find(origin, table, roundNo, player, commitment);
    const isAsked = bound === null || kept?.bets.some(bets => library.isSameBets(bets, bound));
    return { ok: true, kept: kept && { ...kept, isAsked } };
  },
  forgetSeeds: async ({ origin, table, player, upTo }) => ({
    ok: true,
    kept: await client.seeds.forget(origin, table, player, upTo),
  }),

  // Draws of seats.
  register: ({ event, pay, chosen }) =>
    judged(async () => ({ value: await eventOf(event).register(pay, undefined, chosen) })),
  revealSeat: ({ event }) => judged(async () => ({ value: await eventOf(event).reveal() })),
  forgetSeatSeeds: async ({ event, view }) => ({ ok: true, kept: await eventOf(event).forgetSeeds(view) }),
  /** The commitment to a seed for a seat. */
  seatCommitment: ({ seed, ...place }) => ({ ok: true, value: library.seatCommitmentTo(seed, place) }),
  /** The link before the one that draw `draw` made public; of draw 0 it is the tip. */
  drawBefore: ({ draw, link, ...event }) => ({
    ok: true,
    value: hex(sha256(concat(label('draw-chain'), contextOf(event), u64(draw), unhex(link, 32)))),
  }),
  /** E_d over the seeds that are out, ascending by entry: `[{entry_no, player, seed}]`; `running` is X. */
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

  /** Begins to follow a table with its bundle; what fails of it is a failed check as any other. */
  follow: ({ table, bundle }) =>
    judged(
      async () => {
        const follower = new fairshoe.Follower(bundle, await client.ready()),
          id = ++numbered;
        if (follower.failure) throw follower.failure;
        // A bundle of another table would be followed as if it were this one.
        if (tableOf(follower)?.table !== table)
          throw new fairshoe.Unsound('bundle_context', `the bundle is not of ${table}`);
        followers.set(id, { follower, sent: new Map() });
        return { id, ...standing(followers.get(id), null) };
      },
      { name: 'bundle.json', text: bundle },
    ),
  take: ({ id, items, checkpoint }) => withFollower(id, follower => follower.take(items, checkpoint)),
  takeReceipt: ({ id, receipt, openings }) => withFollower(id, follower => follower.takeReceipt(receipt, openings)),
  takePending: ({ id, index, entry, openings }) =>
    withFollower(id, follower => follower.takePending(index, entry, openings)),
  renew: ({ id, bundle }) => withFollower(id, follower => follower.renew(bundle)),
  own: ({ id, own, player }) => {
    const { follower } = followers.get(id);
    return judged(() => ({ faces: follower.own(own, player) })).then(reply =>
      reply.ok ? reply : { ...reply, evidence: reply.evidence || follower.evidence() },
    );
  },
  evidence: ({ id }) => ({ ok: true, evidence: followers.get(id).follower.evidence() }),
  drop: ({ id }) => ({ ok: followers.delete(id) }),
};

/** An error as data: of a class of its own nothing but words would come through. */
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
