#!/usr/bin/env node
// Compares `refund` and `prizes` of fairshoe-verify.js with those of fairshoe-audit: for random events in files,
// unchanged and spoilt, both must print the same bytes, or refuse with the same code (spec/games/refunds.md, section
// 9). The refunds must equal the money that was there.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFile } = require('child_process');
const { cancelledFile, prizesFile, Unusable } = require('../../tools/verifier/fairshoe-verify.js');
const { random } = require('./bundles.js');
const { options } = require('./options.js');

const HELP = `Random events in files, refunded by fairshoe-verify.js and by \`fairshoe-audit\`.

Usage: node refunds.js [OPTIONS]

  --audit FILE   The program [default: target/release/fairshoe-audit of this checkout]
  --files N      How many files [default: 600]
  --seed N       Where the chance begins; the same seed makes the same files [default: 1]
  --help         This text

One JSON object comes out. Exit codes: 0 no difference; 1 a difference, with its file; 2 wrong use.
`;

const root = path.join(__dirname, '..', '..');
const STRUCTURES = path.join(root, 'spec', 'structures');
const shipped = name => {
  const at = path.join(STRUCTURES, `${name}.json`);
  return fs.existsSync(at) ? JSON.parse(fs.readFileSync(at, 'utf8')) : null;
};
const NAMES = fs.readdirSync(STRUCTURES).map(name => name.replace('.json', ''));

/** A file's maker: `rng(n)` is below n. */
class Maker {
  constructor(rng) { this.rng = rng; }
  often(percent) { return this.rng(100) < percent; }
  pick(list) { return list[this.rng(list.length)]; }
  upTo(most) { return 1 + this.rng(most); }
  /** A random subset of these fields. */
  some(percent, fields) {
    const taken = Object.entries(fields).filter(() => this.often(percent));
    return Object.fromEntries(taken.map(([name, of]) => [name, of()]));
  }
  list(length, of) { return Array.from({ length }, (_, i) => of(i)); }

  descending(length, most) { return this.list(length, () => this.upTo(most)).sort((a, b) => b - a); }

  payouts() {
    const places = this.upTo(6);
    return this.pick([
      () => ({ shares: this.descending(places, 100) }),
      () => ({ prizes: this.descending(places, 20000) }),
      () => ({ satellite: { buy_in: this.upTo(9000), fee: this.rng(1000) } }),
      () => ({ rows: [
        { from: 2, places: [{ to: 1, share: this.upTo(9) }] },
        { from: 3 + this.rng(4), places: [{ to: 1, share: 50 }, { to: 3, share: this.upTo(50) }] },
      ] }),
    ])();
  }

  structure() {
    if (this.often(15)) return this.pick(NAMES);
    const whole = shipped(this.pick(NAMES));
    if (this.often(15)) return Object.assign(whole, this.some(30, { guarantee: () => this.rng(200000) }));
    const extra = () => ({ price: this.upTo(2000), fee: this.rng(200), chips: this.upTo(5000) });
    const short = {
      buy_in: this.pick([1, 920, 4600, this.upTo(100000)]),
      ...this.some(60, { fee: () => this.rng(1000), guarantee: () => this.rng(100000), late: () => this.rng(100) }),
      ...this.some(80, { stack: () => this.upTo(10000), payouts: () => this.payouts() }),
      ...this.some(25, {
        add_on: extra, refund_method: () => this.pick(['document', 'chip_count']), players_max: () => 2 + this.rng(30),
      }),
    };
    if (this.often(30)) Object.assign(short, { bounty: 2 * this.upTo(5000) }, this.some(60, {
      bounty_onto_head: () => this.pick(['none', 'half', 'all']),
    }));
    else if (this.often(30)) short.rebuy = extra();
    return short;
  }

  entry(structure, file, at) {
    const started = file.start !== undefined, has = name => typeof structure === 'object' && structure[name];
    const form = this.some(20, { pay: () => this.pick(['cash', 't_dollars', 'ticket']), count: () => this.upTo(4) });
    if (form.pay === 't_dollars' && this.often(50)) form.t_dollars = this.upTo(2000);
    if (at !== null) form.at = at;
    if (this.often(40) && !(form.count > 1)) form.player = `p${this.rng(60)}`;
    if (this.often(6)) form.unregistered = true;
    const step = this.pick([500, 2500, 10000]), sold = () => [this.pick(['ann', 'bob', 'p3']), step * this.upTo(2)];
    if (this.often(at === null ? 7 : 1)) form.stakes = this.list(this.upTo(2), sold);
    if (!started || form.unregistered || (at !== null && at > file.instant)) return form;
    if (this.often(70)) form.chips = this.often(this.out) ? 0 : this.upTo(50000);
    else if (this.often(80)) {
      let time = at === null ? file.start : at;
      form.hands = this.list(this.upTo(5), i => ({
        at: time += i ? this.upTo(25) : this.rng(20), chips: this.often(30) ? 0 : this.upTo(20000),
        ...(has('bounty') ? this.some(40, { head: () => this.rng(4000), won: () => this.rng(4000) }) : {}),
      }));
    }
    if (has('bounty') && !form.hands) Object.assign(form, this.some(30, {
      head: () => this.rng(9000), won: () => this.rng(3000), has_bounty: () => this.often(50),
    }));
    if (has('rebuy')) {
      if (this.often(40)) form.rebuys = this.list(this.upTo(3), () => file.start + this.rng(120)).sort((a, b) => a - b);
      if (form.chips === 0 && this.often(30)) form.may_rebuy = true;
    }
    if (has('add_on') && this.often(30)) form.add_on = file.start + this.rng(120);
    return form;
  }

  cancelled() {
    const structure = this.structure(), file = { structure };
    this.out = this.pick([20, 50, 80]);
    if (this.often(80)) file.start = this.pick([0, 10, 1800000000000]);
    const start = file.start || 0;
    if (file.start !== undefined && this.often(20)) file.stops = [[start + 5, start + 5 + this.rng(30)]];
    file.instant = start + this.pick([0, this.rng(150), 40000000]);
    const later = () => (this.often(25) ? start + this.rng(60) : null);
    file.entries = this.list(this.upTo(14), () => this.entry(structure, file, later()));
    return file;
  }

  prizes() {
    const structure = this.structure(), entries = this.upTo(this.pick([4, 40, 3000]));
    const less = () => this.rng(entries + 1);
    return {
      structure,
      sold: { entries, ...this.some(30, { players: less, with_bounty: less }), ...this.some(10, {
        rebuys: () => this.rng(20), add_ons: less,
      }) },
      ...this.some(30, {
        cut_short: () => this.often(50),
        bounty: () =>
          ({ head: this.rng(9999), winners: this.upTo(9), ...this.some(50, { total: () => this.rng(999) }) }),
        deal: () => ({ method: this.pick(['chips', 'icm']), chips: this.list(this.upTo(7), () => this.upTo(9999)) }),
      }),
    };
  }

  /** A file's text with one fault, or one harmless change. */
  spoilt(file) {
    const places = [];
    const walk = (inside) => {
      if (inside === null || typeof inside !== 'object') return;
      for (const key of Object.keys(inside)) { places.push([inside, key]); walk(inside[key]); }
    };
    walk(file);
    const [inside, key] = this.pick(places), value = inside[key], most = 9007199254740991;
    const mark = '"@"', put = text => { inside[key] = '@'; return JSON.stringify(file).replace(mark, text); };
    return this.pick([
      () => { delete inside[key]; return JSON.stringify(file); },
      () => put('null'),
      () => put('[]'),
      () => put('{}'),
      () => put('true'),
      () => put('"cash"'),
      () => put(String(most)),
      () => put(this.pick(['-1', '1.0', '1e2', '-0', '9007199254740992', '18446744073709551616', '01', '0.5', '0'])),
      () => put(this.pick(['1000000000000', '1000000000001', '1000000000', '65534', '65535', '256', '20001'])),
      () => put(typeof value === 'number' ? String(value + 1) : 'false'),
      () => { inside[`${key}x`] = value; return JSON.stringify(file); },
      () => (Array.isArray(inside) ? put('[0]') : put(`${JSON.stringify(value)},${JSON.stringify(key)}:1`)),
      () => put(typeof value === 'object' && value ? JSON.stringify(Object.values(value)) : '"x"'),
      () => JSON.stringify(file).slice(0, this.rng(200)),
      () => `${JSON.stringify(file)}x`,
      () => ` \n${JSON.stringify(file, null, 1)}\n`,
      () => `\ufeff${JSON.stringify(file)}`,
    ])();
  }
}

const run = (program, args) => new Promise(resolve => {
  const given = { maxBuffer: 1 << 28 };
  execFile(program, args, given, (error, out, err) => resolve({ code: error ? error.code : 0, out, err }));
});

/** The output of this side, or its code. */
function here(command, text) {
  try {
    const compute = command === 'refund' ? cancelledFile : prizesFile;
    return { said: `${JSON.stringify(compute(new TextEncoder().encode(text), shipped), null, 2)}\n` };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { refused: error.code };
  }
}

const sum = numbers => numbers.reduce((total, number) => total + number, 0);

/** Properties of every refund: no cent is lost or made, by event, entry and seller. */
function conserved({ sum: check, payments, residual, remaining }) {
  const whole = ({ total, cash, t_dollars, ticket, stakes }) => cash + t_dollars + ticket === total
    && (!stakes || sum(stakes.buyers.map(({ paid }) => paid)) + stakes.seller_cash === cash + stakes.escrow);
  const all = sum(payments.map(({ total }) => total)) + residual;
  return check.holds && all === check.pool + check.buy_ins + check.fees + check.bounties
    && payments.every(whole) && residual <= Math.max(0, remaining - 1);
}

async function compare({ audit, seed }, folder, at, counts) {
  const maker = new Maker(random(seed * 1000003 + at));
  const command = maker.often(75) ? 'refund' : 'prizes';
  const made = command === 'refund' ? maker.cancelled() : maker.prizes();
  const text = maker.often(35) ? maker.spoilt(made) : JSON.stringify(made), file = path.join(folder, `${at}.json`);
  fs.writeFileSync(file, text);
  const ours = here(command, text), { code, out, err } = await run(audit, [command, file]);
  const [, refused] = /^fairshoe-audit: ([a-z_]+): /.exec(err) || [];
  const theirs = code === 0 ? { said: out } : { refused: code === 2 ? refused : `exit ${code}: ${err}` };
  fs.unlinkSync(file);
  const what = ours.refused || (command === 'prizes' ? 'played' : `case ${JSON.parse(ours.said).case}`);
  counts[what] = (counts[what] || 0) + 1;
  const lost = ours.said && command === 'refund' && !conserved(JSON.parse(ours.said));
  if (ours.said === theirs.said && ours.refused === theirs.refused && !lost) return null;
  return { at, command, text, ours, theirs };
}

async function main() {
  const given = options();
  if (given.help !== undefined) return process.stdout.write(HELP);
  const audit = given.audit || path.join(root, 'target', 'release', 'fairshoe-audit');
  const files = Number(given.files || 600), seed = Number(given.seed || 1);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'refunds-')), counts = {}, found = [];
  let next = 0;
  const worker = async () => {
    while (next < files && found.length < 5) {
      const difference = await compare({ audit, seed }, folder, next++, counts);
      if (difference) found.push(difference);
    }
  };
  try { await Promise.all([worker(), worker()]); } finally { fs.rmSync(folder, { recursive: true }); }
  console.log(JSON.stringify({ files: next, counts, found }, null, 1));
  process.exitCode = found.length ? 1 : 0;
  return undefined;
}

main().catch(error => {
  console.error(error.message);
  process.exitCode = 2;
});
