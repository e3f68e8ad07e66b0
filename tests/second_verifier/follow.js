// The follower against a running service, at which programs play every game: each entry as it comes, each view compared
// with the service's, each lie refused. It starts both itself:
//   node tests/second_verifier/follow.js FAIRSHOE FAIRSHOE-LOAD [SECONDS [SEED]]
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random } = require('./bundles.js');
const verify = require('../../tools/verifier/fairshoe-verify.js');

const [fairshoe, load, seconds = '20', seed = '7'] = process.argv.slice(2);
const rng = random(Number(seed));
const sleep = ms => new Promise(done => setTimeout(done, ms));
const faults = [];
const fault = text => { faults.push(text); if (faults.length < 20) console.error(text); };
const counts = {
  tables: 0, entries: 0, pending: 0, receipts: 0, bundles: 0, starts: 0, views: 0, sameEntry: 0, tableViews: 0, own: 0,
  slowest: 0, time: 0, lies: 0, checkpoints: 0, badTiles: 0, rounds: 0, undecided: 0, owed: 0,
};
const views = {};

// --- A service, and requests to it ----------------------------------------------------------------

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-follow-'));
let service = null, base = null, vkey = null;

async function start() {
  const limits = ['--token-rate', '0', '--address-rate', '0'], data = path.join(folder, 'data');
  const options = ['serve', '--listen', '127.0.0.1:0', ...limits, '--data', data, '--log-format', 'json'];
  service = childProcess.spawn(fairshoe, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  base = await new Promise((found, failed) => {
    let said = '';
    service.stderr.on('data', data => {
      said += data;
      const [address] = /127\.0\.0\.1:[1-9][0-9]*/.exec(said) || [];
      if (address) found(`http://${address}`);
    });
    service.on('exit', code => failed(new Error(`the service ended with ${code}:\n${said}`)));
  });
  for (let i = 0; i < 100 && !(await fetch(`${base}/healthz`).catch(() => null))?.ok; i++) await sleep(50);
  vkey = (await json('/v1/log')).vkey;
}

async function get(address) {
  const answer = await fetch(base + address, { signal: AbortSignal.timeout(30000) });
  if (answer.ok) return answer;
  const { code } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(`${address} answers ${answer.status} ${code}`), { code, status: answer.status });
}
const json = async address => (await get(address)).json();
const text = async address => (await get(address)).text();

function play(...options) {
  const token = path.join(folder, 'data', 'operator.token');
  const all = ['--url', base, '--token-file', token, ...options];
  const program = childProcess.spawn(load, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const out of [program.stdout, program.stderr]) out.on('data', data => { said += data; });
  return { program, ended: new Promise(done => program.on('exit', code => done({ code, said }))) };
}

async function tables() {
  const names = [];
  for (let cursor = ''; cursor !== null;) {
    const page = await json(`/v1/tables?limit=50${cursor && `&cursor=${cursor}`}`);
    names.push(...page.tables.map(({ table }) => table));
    cursor = page.next;
  }
  return names;
}

// --- One table, followed ----------------------------------------------------------------------------

const sorted = value =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
      : value;
const plain = value => JSON.stringify(sorted(value));
const receiptText = (index, proof, checkpoint) =>
  ['c2sp.org/tlog-proof@v1', `index ${index}`, ...proof, '', checkpoint].join('\n');

/** Whether the service is away, as in the middle of the run. */
const isBrokenLine = ({ name, message, cause }) =>
  !base || !!cause || name === 'TimeoutError' || ['aborted', 'terminated'].includes(message);

class Watched {
  constructor(table) {
    Object.assign(this, { table, follower: null, closed: false, failed: false });
    Object.assign(this, { seen: [], reads: [] }); // views: those it had, those that the service gave
    Object.assign(this, { bundle: null, since: [] }); // what it began with, and what it took since
  }

  /** Begins with the table's bundle, or later if there is none yet. */
  async begin() {
    const bundle = await text(`/v1/tables/${this.table}/bundle`).catch(error => {
      if (error.code === 'no_shoe' || error.code === 'unknown_table') return null;
      throw error;
    });
    if (bundle === null) return;
    counts.bundles++;
    Object.assign(this, { bundle, since: [] });
    if (this.follower) this.follower.renew(bundle);
    else this.follower = new verify.Follower(bundle, vkey);
    if (this.follower.failure) throw this.follower.failure;
    this.note(this.follower.lastIndex);
  }

  note(index) {
    const view = this.follower.view();
    if (!view) return;
    this.seen.push({ index, id: view.id, text: plain(view) });
    if (this.seen.length > 4000) this.seen.splice(0, 1000);
  }

  /** One look: takes new entries, in one of the ways in which they can come. */
  async look() {
    if (this.closed || this.failed) return;
    try {
      if (!this.follower) await this.begin();
      if (!this.follower) return;
      if (this.follower.needs && this.follower.needs.bundle) { counts.starts++; await this.begin(); }
      await this.prove();
      const from = this.follower.nextSeq;
      const found = await json(`/v1/tables/${this.table}/entries?from_seq=${from}&limit=${1 + rng(64)}&proofs=true`);
      this.takeAll(found);
      if (this.follower.failure) throw this.follower.failure;
      this.closed = found.closed;
      if (rng(4) === 0) await this.read();
    } catch (error) {
      if (isBrokenLine(error)) return;
      this.failed = true;
      fault(`${this.table}: ${error.check || ''} at ${error.entry}: ${error.stack}`);
    }
  }

  /** Entries shown before a restart without a proof are requested first. */
  async prove() {
    const { follower } = this;
    for (let tries = 0; tries < 8 && follower.needs && follower.needs.entries < follower.nextSeq; tries++) {
      const address = `/v1/tables/${this.table}/entries?from_seq=${follower.needs.entries}&limit=64&proofs=true`;
      const { entries, checkpoint } = await json(address);
      follower.take(entries.filter(({ seq }) => seq < follower.nextSeq), checkpoint);
      counts.owed++;
    }
  }

  takeAll({ entries, checkpoint }) {
    const { follower } = this, way = rng(4);
    if (entries.length && this.since.length <= 60) this.since.push(copy({ entries, checkpoint }));
    const timed = action => {
      const begun = process.hrtime.bigint(), change = action();
      const ms = Number(process.hrtime.bigint() - begun) / 1e6;
      counts.time += ms;
      counts.slowest = Math.max(counts.slowest, ms);
      for (const { index, decided, proven } of change.entries) {
        counts.entries++;
        if (!decided) counts.undecided++;
        if (!proven) counts.pending++;
        this.note(index);
      }
      return change;
    };
    const isLost = () => follower.needs && follower.needs.bundle;
    if (way === 0) { // the stream is ahead: entries, their openings, then the proofs
      for (const { index, entry, openings = [] } of entries) {
        timed(() => follower.takePending(index, entry, rng(2) ? openings : []));
        if (isLost()) return;
      }
    } else if (way === 1) {
      for (const { index, entry, proof, openings = [] } of entries) {
        timed(() => follower.takeReceipt({ index, entry, proof: receiptText(index, proof, checkpoint) }, openings));
        if (isLost()) return;
        counts.receipts++;
      }
    }
    // One after another, so that each entry has its view; then all of them again.
    for (const item of entries) timed(() => follower.take([item], checkpoint));
    if (isLost()) return;
    follower.take(entries, checkpoint);
    for (const { entry } of entries) {
      const { events } = JSON.parse(entry);
      for (const event of events) if (event.round_settled || event.round_voided) counts.rounds++;
    }
    if (follower.needs) return;
    // For a shoe that was forgotten in between, missing openings are not awaited.
    const isLate = ({ opening, entry }) => !opening && entry < follower.begins;
    const unproven = follower.faces().filter(face => face.state !== 'proven' && !isLate(face));
    if (unproven.length) fault(`${this.table}: faces are not proven: ${JSON.stringify(unproven)}`);
    if (entries.length && rng(3) === 0) this.lie();
  }

  /** The service's present view of the round. */
  async read() {
    const view = this.follower.view();
    if (!view) return;
    const answer = await json(`/v1/rounds/${view.id}`);
    this.reads.push(answer);
  }

  /** Each read equals a view of the follower, at the service's last entry or next to it. */
  compare() {
    for (const { round, entries } of this.reads) {
      const text = plain(round), last = entries[entries.length - 1];
      const near = this.seen.filter(({ id }) => id === round.id);
      const exact = near.find(view => view.index === last), [closest] = near.filter(view => view.text === text);
      // If a new bundle took it over that entry, it had no view there.
      if (!exact) continue;
      counts.views++;
      if (exact.text === text) counts.sameEntry++;
      const kind = `${Object.keys(round.game || {})[0]} ${round.phase}`;
      views[kind] = (views[kind] || 0) + 1;
      if (!closest)
        fault(`${round.id} at entry ${last}:\n service  ${text}\n follower ${exact.text}`);
    }
    this.reads = [];
  }
}

// --- Lies -------------------------------------------------------------------------------------------

const flip = (text, at) => text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
/** An entry that shows a card, with another card; null if it shows none. */
function otherCard(entry) {
  const at = entry.indexOf('"card":"');
  if (at < 0) return null;
  return `${entry.slice(0, at + 8)}${entry.slice(at + 8, at + 10) === 'As' ? 'Kd' : 'As'}${entry.slice(at + 10)}`;
}
const copy = value => JSON.parse(JSON.stringify(value));

/** Variations of the last batch; each must be refused at once. */
const LIES = {
  card({ entries }) {
    const item = entries.find(({ entry }) => otherCard(entry));
    if (item) item.entry = otherCard(item.entry);
    return !!item;
  },
  byte({ entries }) {
    const item = entries[rng(entries.length)], at = item.entry.indexOf('"time":') + 15;
    item.entry = flip(item.entry, at);
    return true;
  },
  proof({ entries }) {
    const item = entries[rng(entries.length)], at = rng(item.proof.length);
    item.proof[at] = item.proof[at].startsWith('A') ? `B${item.proof[at].slice(1)}` : `A${item.proof[at].slice(1)}`;
    return true;
  },
  shorter({ entries }) { entries[0].proof.pop(); return true; },
  checkpoint(batch) {
    const lines = batch.checkpoint.split('\n');
    lines[1] = String(Number(lines[1]) + 1);
    batch.checkpoint = lines.join('\n');
    return true;
  },
  place({ entries }) { entries[0].seq++; return true; },
  index({ entries }) { entries[0].index++; return true; },
  salt({ entries }) {
    const item = entries.find(({ openings }) => openings);
    if (item) item.openings[0].salt = flip(item.openings[0].salt, rng(32));
    return !!item;
  },
  value({ entries }) {
    const item = entries.find(({ openings }) => openings);
    if (item) item.openings[0].value = (item.openings[0].value + 1) % 37;
    return !!item;
  },
  path({ entries }) {
    const item = entries.find(({ openings }) => openings && openings[0].path.length);
    if (item) item.openings[0].path[0] = flip(item.openings[0].path[0], rng(64));
    return !!item;
  },
};

/** Starts a follower where this one began, and gives it a changed last batch. */
Watched.prototype.lie = function () {
  if (!this.bundle || this.since.length > 60) return;
  const names = Object.keys(LIES), name = names[rng(names.length)], batch = copy(this.since[this.since.length - 1]);
  if (!LIES[name](batch)) return;
  const follower = new verify.Follower(this.bundle, vkey);
  for (const { entries, checkpoint } of this.since.slice(0, -1)) follower.take(entries, checkpoint);
  if (follower.needs) return;
  counts.lies++;
  try {
    follower.take(batch.entries, batch.checkpoint);
    if (!follower.needs) fault(`${this.table}: the lie ${name} is believed`);
  } catch (error) {
    const where = ['checkpoint', 'tile'].includes(error.check) || error.entry !== undefined;
    if (!(error instanceof verify.Unsound) || !error.check || !where)
      fault(`${this.table}: the lie ${name} ends in ${error.stack}`);
    const { finding } = JSON.parse(follower.evidence().text);
    if (!finding || finding.check !== error.check)
      fault(`${this.table}: the evidence of ${name} says ${JSON.stringify(finding)}`);
    let again = null;
    try { follower.take([], batch.checkpoint); } catch (thrown) { again = thrown; }
    if (again !== error) fault(`${this.table}: after the lie ${name} it goes on`);
  }
};

// --- The run ----------------------------------------------------------------------------------------

let kept = null;
/** The newest checkpoint goes on from the one kept. */
async function checkLog() {
  const newest = await text('/checkpoint');
  if (kept) {
    const [older, newer] = [kept, newest].map(note => Number(note.split('\n')[1])), tiles = {};
    for (const tile of verify.tilesFor(older, newer))
      tiles[tile] = new Uint8Array(await (await get(`/${tile}`)).arrayBuffer());
    verify.extends(kept, newest, tiles, vkey);
    counts.checkpoints++;
    const [tile] = Object.keys(tiles);
    if (tile) {
      const bytes = tiles[tile].slice();
      bytes[32 * rng(bytes.length / 32)] ^= 1;
      let found = null;
      try { verify.extends(kept, newest, { ...tiles, [tile]: bytes }, vkey); } catch (error) { found = error.check; }
      // A tile has hashes that this pair of sizes does not need.
      if (found) counts.badTiles++;
    }
  }
  kept = newest;
}

const watched = new Map();
async function lookAtAll() {
  for (const table of await tables()) {
    if (watched.has(table)) continue;
    watched.set(table, new Watched(table));
    counts.tables++;
  }
  const list = [...watched.values()].filter(({ closed, failed }) => !closed && !failed);
  const worker = async () => { for (let one = list.pop(); one; one = list.pop()) await one.look(); };
  await Promise.all(Array.from({ length: 4 }, worker));
}

async function whilePlayed(games, until) {
  let over = false;
  const ended = Promise.all(games.map(({ ended: end }) => end)).then(all => { over = true; return all; });
  const end = Date.now() + until;
  while (!over && Date.now() < end) {
    await lookAtAll().catch(error => { if (!isBrokenLine(error)) throw error; });
    await checkLog().catch(error => { if (error.check) fault(`the log: ${error.stack}`); });
  }
  return over ? ended : null;
}

const TABLE_FIELDS = ['table', 'next_round', 'round', 'shoe', 'seats', 'window', 'cash', 'waiting', 'last_hand'];
const CAN_DIFFER = { cash: 'own' };

/** After the play everything equals the service's state. */
async function checkAtRest() {
  for (const one of watched.values()) {
    if (one.failed || !one.follower) continue;
    for (let i = 0, from = -1; i < 50 && from !== one.follower.nextSeq; i++) {
      from = one.follower.nextSeq;
      await one.look();
    }
    if (one.failed || one.follower.needs) continue;
    await one.read().catch(error => fault(`${one.table}: ${error.message}`));
    one.compare();
    const bundle = await text(`/v1/tables/${one.table}/bundle`), { round, entries } = JSON.parse(bundle);
    const report = verify.verifyBundle(bundle, vkey), own = one.follower.verdict();
    const isEarly = report.findings.some(({ check }) => check === 'bundle_round');
    // The house acts by itself when a deadline passes.
    const isAhead = entries[entries.length - 1].index > one.follower.lastIndex;
    if (!isEarly && !isAhead && report.verdict !== own.verdict && !one.follower.isStale)
      fault(`${round}: a bundle is ${report.verdict}, the follower says ${own.verdict}, ` +
        `${one.follower.unproven.size} not proven`);
    if (!isEarly) {
      const replay = verify.replayOf(bundle, null, vkey), last = replay.steps[replay.steps.length - 1];
      if (replay.verdict !== report.verdict || !last) fault(`${round}: the replay is ${replay.verdict}`);
      if (plain(replay.round) !== plain(report.round)) fault(`${round}: the replay tells of another round`);
    }
    const view = await json(`/v1/tables/${one.table}`).catch(() => null), mine = one.follower.table();
    if (!view || one.follower.rules.event || one.follower.isStale) continue;
    counts.tableViews++;
    for (const field of TABLE_FIELDS) {
      const [theirs, ours] = [view[field], mine[field]].map(value => copy(value));
      if (CAN_DIFFER[field] && theirs) delete theirs[CAN_DIFFER[field]];
      if (plain(theirs) !== plain(ours))
        fault(`${one.table}.${field}:\n service  ${plain(theirs)}\n follower ${plain(ours)}`);
    }
  }
}

async function main() {
  await start();
  const timed = (game, players, rate, time) => [
    '--game', game, '--players', players, '--strategy', 'random', '--rate', rate,
    '--seconds', String(Math.ceil(time)),
  ];
  const mixed = time =>
    play(...timed('mixed', '24', '60', time), '--withhold', '5', '--sleepers', '2', '--newcomers', '4');
  const poker = time => play(...timed('holdem,holdem-limit,omaha,omaha-hi-lo', '20', '40', time));
  const failed = all => {
    if (!all) fault('fairshoe-load does not end');
    else all.filter(({ code }) => code !== 0).forEach(({ said }) => fault(`fairshoe-load: ${said}`));
  };
  // Played, interrupted by a power cut, started again, and played to the end.
  const first = [mixed(3600), poker(3600)];
  await whilePlayed(first, Number(seconds) * 500);
  const gone = new Promise(done => service.on('exit', done));
  base = null;
  service.removeAllListeners('exit');
  service.kill('SIGKILL');
  first.forEach(({ program }) => program.kill());
  await Promise.race([gone, sleep(1000)]);
  await start();
  failed(await whilePlayed([mixed(seconds / 2), poker(seconds / 2)], 120000 + 1000 * seconds));
  const event = ['--game', 'tournament:freezeout-9', '--players', '12', '--quick', '--strategy', 'all-in'];
  failed(await whilePlayed([play(...event)], 120000));
  await checkAtRest();
  service.kill();
  counts.each = (counts.time / Math.max(1, counts.entries)).toFixed(2);
  console.log(JSON.stringify({ ...counts, views, faults: faults.length }));
}

main()
  .catch(error => fault(error.stack))
  .finally(() => {
    if (service) service.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
    process.exit(faults.length ? 1 : 0);
  });
