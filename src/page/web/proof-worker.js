// The verifier beside the page: loads fairshoe-verify.js once there is something to check, holds a follower for
// each table that is open, and the newest checkpoint that the log was seen under. What it answers is plain data;
// what a failed check means for play is the page's (proof.js, duties.js).
/* global fairshoe, importScripts */

importScripts('./fairshoe-verify.js');

/** The log as this browser knows it: `{vkey, checkpoint}` once it is pinned. */
let log = null;
/** Checks of one history against the next go one after the other: each begins at what the one before kept. */
let extending = Promise.resolve();
/** A tile that does not come keeps nobody waiting for ever: what it was for is tried again. */
const TILE_MS = 15000;
const followers = new Map();
let numbered = 0;

const words = text => new TextEncoder().encode(text);

/** A check that did not hold, as data; anything else is thrown on. */
function failureOf(error) {
  if (!(error instanceof fairshoe.Unsound)) throw error;
  return {
    check: error.check,
    message: error.message,
    entry: error.entry,
    table: error.table,
    evidence: error.evidence,
  };
}

/**
 * Runs a check: `{ok: true, …}`, or `{ok: false, failed, evidence}`; `held` is the evidence where the check has
 * none of its own. What cannot be judged is thrown, and is no failed check.
 */
async function judged(check, held = null) {
  try {
    return { ok: true, ...(await check()) };
  } catch (error) {
    const { evidence, ...failed } = failureOf(error);
    return { ok: false, failed, evidence: evidence ? { name: `${failed.check}.json`, text: evidence } : held };
  }
}

const verdictOf = report => {
  if (report.verdict === 'not_sound')
    throw Object.assign(new fairshoe.Unsound(report.findings[0].check, ''), report.findings[0]);
  return report;
};

async function tile(path) {
  const response = await fetch(`/${path}`, { credentials: 'omit', signal: AbortSignal.timeout(TILE_MS) });
  if (!response.ok) throw new Error(`/${path} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Holds a signed checkpoint against the one kept, and keeps the newer one. */
function extend(text) {
  const step = extending.then(async () => {
    if (text === log.checkpoint) return;
    const sizes = [log.checkpoint, text].map(note => BigInt(note.split('\n')[1]));
    const [older, newer] = sizes[0] <= sizes[1] ? [log.checkpoint, text] : [text, log.checkpoint];
    const paths = fairshoe.tilesFor(
      sizes[0] < sizes[1] ? sizes[0] : sizes[1],
      sizes[0] < sizes[1] ? sizes[1] : sizes[0],
    );
    const tiles = {};
    await Promise.all(
      paths.map(async path => {
        tiles[path] = await tile(path);
      }),
    );
    fairshoe.extends(older, newer, tiles, log.vkey);
    log = { ...log, checkpoint: newer };
  });
  extending = step.catch(() => {});
  return step;
}

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

const CALLS = {
  /** The log's key and newest checkpoint: pinned at the first visit, the same at every later one. */
  log: ({ known, vkey, checkpoint }) =>
    judged(
      async () => {
        if (known && known.vkey !== vkey)
          throw new fairshoe.Unsound('key', `the log's key is ${vkey}; at an earlier visit it was ${known.vkey}`);
        verdictOf(fairshoe.verifyCheckpoint(words(checkpoint), null, vkey));
        log = log || { vkey, checkpoint: known ? known.checkpoint : checkpoint };
        await extend(checkpoint);
        return { log };
      },
      { name: 'checkpoint', text: checkpoint },
    ),
  /** A signed checkpoint: by the pinned key, and of the history that this browser knows. */
  checkpoint: ({ checkpoint }) =>
    judged(
      async () => {
        const report = verdictOf(fairshoe.verifyCheckpoint(words(checkpoint), null, log.vkey));
        await extend(checkpoint);
        return { ...report.checkpoint, log };
      },
      { name: 'checkpoint', text: checkpoint },
    ),
  /** The receipts of a reply, under a checkpoint of the history that this browser knows. */
  receipts: ({ receipts }) =>
    judged(
      async () => {
        verdictOf(fairshoe.verifyReceipts(words(JSON.stringify({ receipts })), null, null, log.vkey));
        const notes = new Set(receipts.map(receipt => receipt.proof.slice(receipt.proof.indexOf('\n\n') + 2)));
        for (const note of notes) await extend(note);
        return {
          entries: receipts.map(receipt => ({ index: receipt.index, entry: JSON.parse(receipt.entry) })),
          notes: [...notes],
          log,
        };
      },
      { name: 'receipts.json', text: JSON.stringify({ receipts }) },
    ),
  commitment: ({ origin, table, epoch, roundNo, player, seed }) => ({
    ok: true,
    commitment: fairshoe.clientCommitment(
      fairshoe.tableContext(origin, table, epoch),
      roundNo,
      player,
      fairshoe.unhex(seed, 32),
    ),
  }),
  bundle: ({ text, vkey = log?.vkey ?? null }) => {
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
  replay: ({ text, round = null, vkey = log?.vkey ?? null }) => {
    const replay = fairshoe.replayOf(text, round, vkey);
    return { ok: replay.verdict !== 'not_sound', failed: replay.findings[0] || null, ...replay };
  },

  /** Begins to follow a table with its bundle; what fails of it is a failed check as any other. */
  follow: ({ bundle }) =>
    judged(
      () => {
        const follower = new fairshoe.Follower(bundle, log.vkey),
          id = ++numbered;
        if (follower.failure) throw follower.failure;
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

onmessage = async ({ data: { number, name, given } }) => {
  try {
    if (!Object.hasOwn(CALLS, name)) throw new Error(`the verifier has no call ${name}`);
    postMessage({ number, reply: await CALLS[name](given) });
  } catch (error) {
    postMessage({ number, error: error.message || String(error), unusable: error instanceof fairshoe.Unusable });
  }
};
