// A house for tests: the second verifier's rules (tools/verifier) with a dealer who has a master key, players with
// seeds, and a clock set by hand. It writes honest logs.
'use strict';
const fs = require('fs');
const path = require('path');
const verify = require('../../tools/verifier/fairshoe-verify.js');
const { House, hmac, label, concat, u64, utf8, unhex, hex, cardOf, deriveShoe, leafHash, treeRoot } = verify;

const ORIGIN = 'house.example/log', T0 = 1700000000000;
const hash = text => hex(verify.sha256(utf8(text)));

/** The sibling hashes from a leaf up, within the tree over `leaves`. */
function pathTo(index, leaves) {
  if (leaves.length === 1) return [];
  let left = 1;
  while (2 * left < leaves.length) left *= 2;
  return index < left
    ? [...pathTo(index, leaves.slice(0, left)), treeRoot(leaves.slice(left))]
    : [...pathTo(index - left, leaves.slice(left)), treeRoot(leaves.slice(0, left))];
}

/** A shipped rule set without a pause between rounds, some fields of its table and of its game changed. */
function rules(name, table = {}, game = {}) {
  const set = JSON.parse(fs.readFileSync(path.join(__dirname, '../../spec/rulesets', `${name}.json`), 'utf8')),
    [kind] = Object.keys(set.game),
    { between_hands_ms, away_ms, ...unhurried } = set.table;
  return { ...set, table: { ...unhurried, ...table }, game: { [kind]: { ...set.game[kind], ...game } } };
}

class Dealer extends House {
  constructor() {
    super(false);
    this.decks = new Map();
  }

  // --- The dealer ---------------------------------------------------------------------------------

  emit(event) { this.out.push(event); }

  stateBalances(entry, players) { this.before = players.map(player => [player, this.balance(player)]); }

  claim(name, shoe, slot) {
    if (name === 'shoe_committed') return { candidates: this.makeShoe(shoe) };
    const facts = {
      dealt: () => ({ card: this.face(shoe, slot) }),
      turned: () => ({ card: this.face(shoe, slot) }),
      spun: () => ({ value: this.face(shoe, slot) }),
      peeked: () => ({ blackjack: this.looks(shoe, slot) }),
      round_opened: () => ({
        others: this.candidatesOf(shoe)
          .filter((_, k) => k !== slot)
          .map(({ seed }) => hex(seed)),
      }),
      shoe_revealed: () => ({ seeds: this.candidatesOf(shoe).map(({ seed }) => hex(seed)) }),
      shoe_sealed: () => ({ openings: [...shoe.faces.keys()].map(at => this.opening(shoe, at)) }),
    };
    return facts[name] ? facts[name]() : null;
  }

  makeShoe(text) {
    const { table } = this,
      no = table.nextShoe,
      composition = verify.readComposition(text),
      count = verify.games[Object.keys(table.rules.game)[0]].candidates || 1;
    const deck = Array.from({ length: count }, (_, k) => {
      const seed = hmac(
        utf8('a master of thirty-two bytes ....'),
        concat(label('server-seed'), this.tctx({ epoch: this.start.epoch }), u64(no), Uint8Array.of(k)),
      );
      return {
        seed,
        ...deriveShoe(seed, composition),
        commitment: verify.serverCommitment(this.tctx({ epoch: this.start.epoch }), no, k, seed),
      };
    });
    this.decks.set(`${table.name}/${no}`, deck);
    return deck.map(({ commitment, root }) => ({ commitment, root }));
  }

  candidatesOf(shoe) { return this.decks.get(`${this.table.name}/${shoe.no}`); }

  deckOf(shoe) { return this.candidatesOf(shoe).find(({ root }) => root === shoe.root); }

  face(shoe, slot) { const code = this.deckOf(shoe).faces[slot]; return shoe.composition.wheel ? code : cardOf(code); }

  looks(shoe, slot) {
    const ranks = [this.face(shoe, this.table.live.dealer[0])[0], this.face(shoe, slot)[0]];
    return ranks.includes('A') && ranks.some(rank => 'TJQK'.includes(rank));
  }

  opening(shoe, slot) {
    const { faces, salts } = this.deckOf(shoe),
      leaves = faces.map((face, i) => leafHash(concat(salts[i], Uint8Array.of(i >> 8, i & 255, face))));
    return { slot, value: faces[slot], salt: hex(salts[slot]), path: pathTo(slot, leaves).map(hex) };
  }
}

/** A house with its clock, its log and its players. */
class Scene {
  constructor(origin = ORIGIN) { Object.assign(this, { house: new Dealer(), origin, clock: T0, log: [] }); }

  get tables() { return this.house.tables; }

  /** Gives one command now; throws the rules' objection. */
  give(by, command, signed) {
    const { house } = this, entry = { time: Math.max(this.clock, house.time), by, command, signed, events: null };
    house.before = [];
    house.beforeEntry(entry);
    house.notePlaces(entry);
    house.decide(entry, this.log.length);
    const { table, before, out } = house, at = table ? { table: table.name, seq: table.seq } : undefined;
    const text = JSON.stringify({
      v: 1,
      time: entry.time,
      by,
      ...(at ? { at } : {}),
      ...(before.length ? { before } : {}),
      command,
      ...(signed ? { signed } : {}),
      events: out,
    });
    this.log.push(text);
    house.noteIdle(by, command);
    house.entryEnds(command, text.length);
    house.afterEntry(command, this.log.length - 1);
    return this;
  }

  startDealer(epoch = hash(`epoch ${this.log.length}`)) {
    return this.give('house', {
      start_dealer: { origin: this.origin, epoch, master_id: hash('master'), software: 'tests' },
    });
  }

  sorted() { return [...this.tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1)); }

  /** The house's next due command, or null. */
  nextDue() {
    const waiting = this.sorted().find(({ recovering }) => recovering);
    if (waiting) return { recover: { table: waiting.name } };
    this.house.time = Math.max(this.house.time, this.clock);
    const duty = this.sorted().map(table => this.house.dutyOf(table)).find(command => command);
    if (duty) return duty;
    const [deadline] = this.sorted()
      .flatMap(table => this.house.deadlinesOf(table))
      .filter(({ at }) => at <= this.clock)
      .sort((a, b) => a.at - b.at);
    return deadline ? deadline.command : null;
  }

  /** Does all due commands. */
  run() {
    for (let command = this.nextDue(); command; command = this.nextDue()) this.give('house', command);
    return this;
  }

  /** Moves the time forward; due commands are done at their times. */
  pass(ms) {
    const end = this.clock + ms;
    for (;;) {
      this.run();
      const next = this.sorted()
        .flatMap(table => this.house.deadlinesOf(table))
        .map(({ at }) => at)
        .filter(at => at > this.clock);
      if (!next.length || Math.min(...next) > end) break;
      this.clock = Math.min(...next);
    }
    this.clock = end;
    return this;
  }

  // --- Players ------------------------------------------------------------------------------------

  player(player, amount, key) {
    this.give('operator', { create_player: { player, ...(key ? { key } : {}) } });
    return this.give('operator', { credit: { player, amount } });
  }

  open(table, set, by = 'operator') { return this.give(by, { open_table: { table, rules: set } }).run(); }

  seed(player, table, round) {
    return hmac(utf8("the players' secret"), utf8(`${player}/${table}/${round}`));
  }

  commitment(player, name, round) {
    const { shoe } = this.tables.get(name);
    return verify.clientCommitment(
      verify.tableContext(this.origin, name, shoe ? shoe.epoch : this.house.start.epoch),
      round,
      player,
      this.seed(player, name, round),
    );
  }

  sit(player, table, seat) { return this.give(`player:${player}`, { take_seat: { table, seat } }).run(); }

  bet(player, table, spot, stake) {
    const { nextRound: round } = this.tables.get(table);
    return this.give(`player:${player}`, {
      bet: { table, round_no: round, bets: [{ spot, stake }], commitment: this.commitment(player, table, round) },
    });
  }

  revealOf(player, table, round) {
    return { reveal: { table, round_no: round, player, seed: hex(this.seed(player, table, round)) } };
  }

  /** The seeds of all contributors of the live round. */
  reveal(table) {
    const { live } = this.tables.get(table), round = live.pile ? live.pile.no : live.no;
    const players = live.pile ? live.pile.players : live.contributors.map(({ player }) => player);
    for (const player of players) this.give('anyone', this.revealOf(player, table, round));
    return this;
  }

  /** Makes each decision by the first offered of `wishes`, until the round is over or waits for something else. */
  play(
    table,
    wishes = ['stand', 'check', 'call', 'show', 'accept', 'face_down', 'insurance', 'even_money', 'pass', 'fold'],
  ) {
    for (let live = this.tables.get(table).live; live && live.decisions.size; live = this.tables.get(table).live) {
      const [decision, { player }] = [...live.decisions][0],
        options = this.optionsOf(table, decision).map(({ action }) => action);
      const word = wishes.find(wish => options.includes(wish)),
        action = word === 'insurance' || word === 'even_money' ? { [word]: { take: false } } : word;
      this.give(`player:${player}`, { act: { table, round_no: live.no, decision, action } });
    }
    return this;
  }

  optionsOf(table, decision) {
    for (let i = this.log.length - 1; i >= 0; i--) {
      const entry = JSON.parse(this.log[i]);
      const found =
        entry.at &&
        entry.at.table === table &&
        entry.events.find(event => event.play && event.play.offered && event.play.offered.decision === decision);
      if (found) return found.play.offered.options;
    }
    return [];
  }

  /** A round of these bets, `{player: [spot, stake]}`, to its end. */
  round(table, bets, wishes) {
    for (const [player, [spot, stake]] of Object.entries(bets)) this.bet(player, table, spot, stake);
    this.run();
    const { window } = this.tables.get(table);
    if (window) this.pass(window.closesAt - this.clock);
    return this.reveal(table).play(table, wishes).run();
  }
}

module.exports = { Scene, rules, pathTo, hash, verify, ORIGIN, T0 };
