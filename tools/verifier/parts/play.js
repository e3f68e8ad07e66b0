// The worked examples of spec/vectors/play.json: rounds from given cards, without regard to slots.

function readPlayAction(text) {
  const named = /^([^:=]+):(.*)$/.exec(text), [word, value] = (named ? named[2] : text).split('=');
  const name = word.replace('-', '_'), yes = value === 'yes';
  const fields = {
    double: () => (value ? { amount: Number(value) } : {}),
    insurance: () => ({ take: yes }),
    even_money: () => ({ take: yes }),
    change: () => ({ card: value }),
    open: () => (value ? { hand: value } : {}), discard: () => (value ? { hand: value } : {}) }[name];
  return { who: named ? named[1] : null, word: name, action: fields ? { [name]: fields() } : name };
}

/** One case under each of its rule sets. */
function playCase(tally, round, shipped) {
  const rules = structuredClone(shipped),
    game = gameOf(rules),
    options = rules.game[game.name],
    title = `${round.name} (${rules.name})`;
  for (const [name, text] of Object.entries(round.set || {})) {
    let value = text;
    try { value = JSON.parse(text); } catch (error) { /* a word */ }
    (Object.hasOwn(options, name) ? options : rules.table)[name] = value;
  }
  if (round.entry !== undefined) Object.assign(rules.table, { stake_min: round.entry, stake_max: round.entry });
  const play = new Play(round, rules, game);
  let refused = whyNoRuleSet(rules);
  try {
    if (!refused) play.run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused = error.message;
  }
  if (round.refused !== undefined) { tally.same(`${title}: refused`, refused !== null, true); return; }
  tally.same(`${title}: refused`, refused, null);
  if (refused) return;
  tally.same(`${title}: staked, returned`, [play.staked, play.returned], [round.staked, round.returned]);
  if (round.drawn !== undefined) tally.same(`${title}: drawn`, play.drawn, round.drawn);
  for (const [seat, name, staked, returned] of round.seats || []) {
    const { player } =
      play.contributors.find(placed => placed.bets.some(bet => bet.spot === String(seat))) || play.contributors[0];
    const whose = game.spotIsSeat ? `box ${seat}` : player;
    tally.same(
      `${title}: seat ${seat}`,
      [name === null ? null : player, play.of(whose, 'staked'), play.of(whose, 'returned')],
      [name, staked, returned],
    );
  }
  for (const [spot, returned] of Object.entries(round.spots || {})) {
    tally.same(`${title}: ${spot}`, play.spots[spot], returned);
  }
  for (const what of ['winner', 'collected'])
    if (round[what] !== undefined) tally.same(`${title}: ${what}`, play[what], round[what]);
  if (round.alive !== undefined)
    tally.same(
      `${title}: alive`,
      play.state.players.filter(({ alive }) => alive).map(({ player }) => player),
      round.alive,
    );
}

class Play {
  constructor(round, rules, game) {
    Object.assign(this, {
      rules, game, staked: 0, returned: 0, drawn: 0, winner: null, collected: null,
      spots: {},
      amounts: {},
      options: [],
      pile: 0,
      decisions: 0,
      dealer: [],
      piles: [[]],
      pocket: round.pocket,
    });
    const shared = rules.table.mode === 'shared' && game.spotIsSeat;
    const bets = (round.bets || '').split(/[ ,]+/).filter(text => text.includes('=') || game.name !== 'safe')
      .map(text => {
        const [spot, stake] = text.includes('=') ? text.split('=') : ['1', text];
        return { spot, stake: Number(stake) };
      });
    if (game.name === 'safe')
      this.contributors = round.players
        .split(',')
        .map((player, i) => ({ player, bets: [{ spot: String(i + 1), stake: rules.table.stake_min }] }));
    else if (shared) this.contributors = bets.map(bet => ({ player: `seat${bet.spot}`, bets: [bet] }));
    else this.contributors = [{ player: 'player', bets }];
    this.balance = Object.fromEntries(
      this.contributors.map(({ player }) => [player, round.balance === undefined ? 1e9 : round.balance]),
    );
    this.cards = (round.cards || '').split(' ').filter(card => card);
    this.actions = (round.actions || '').split(' ').filter(text => text).map(readPlayAction);
  }

  of(player, what) { return this.amounts[`${player} ${what}`] || 0; }
  add(player, place, what, amount) {
    this[what] += amount;
    for (const whose of [player, `box ${place.split('/')[0]}`])
      this.amounts[`${whose} ${what}`] = this.of(whose, what) + amount;
  }

  run() {
    const house = new House(true), { game, rules, contributors } = this;
    house.table = { rules, window: null, seats: new Map() };
    for (const { player, bets } of contributors) {
      const total = house.checkBets(player, bets, this.balance[player]);
      this.balance[player] -= total;
      for (const { spot, stake } of bets) this.add(player, spot, 'staked', stake);
    }
    this.state = game.start(rules, contributors);
    for (let step = this.step(); !step.done; step = this.step()) {
      const [kind] = Object.keys(step);
      if (this[kind](step[kind]) === false) break;
    }
    if (this.actions.length) refuse('malformed', 'an action is left over');
  }

  step() { return this.game.next(this.state, { balance: player => this.balance[player] }); }
  apply(event) { this.game.apply(this.state, event); }

  dealt({ lane, to, hidden }) {
    const card = this.cards.shift(), slot = this.piles[this.pile].length;
    if (card === undefined && this.game.name === 'safe') return false;
    if (card === undefined) refuse('malformed', 'too few cards');
    this.drawn++;
    this.piles[this.pile].push(card);
    if (to === 'dealer') this.dealer.push(card);
    return this.apply({ dealt: { lane, slot, to, ...(hidden ? {} : { card }) } });
  }

  turned(turned) { this.apply({ turned: { ...turned, card: this.piles[turned.pile ?? this.pile][turned.slot] } }); }
  peeked({ slot }) { this.apply({ peeked: { slot, blackjack: handTotal(this.dealer.slice(0, 2)) === 21 } }); }
  offered(offered) {
    this.options[this.decisions] = offered.options.map(option => option.action);
    this.apply({ offered: { decision: this.decisions++, ...offered, deadline: 0 } });
  }
  spun() {
    const { wheel } = readComposition(this.game.composition(this.rules));
    if (!whole(0, wheel - 1)(this.pocket)) refuse('no_pocket', `a pocket is a number from 0 to ${wheel - 1}`);
    this.apply({ spun: { slot: 0, value: this.pocket, pocket: this.pocket } });
  }

  paid({ lines }) {
    for (const { player, place, returned } of lines) {
      this.balance[player] += returned;
      this.add(player, place, 'returned', returned);
      this.spots[place] = (this.spots[place] || 0) + returned;
    }
    this.apply({ paid: { lines } });
  }

  safe(event) {
    if (event.won) this.winner = event.won.player;
    if (event.collected) this.collected = event.collected.cards.length;
    this.apply({ safe: event });
  }

  /** A pile is shuffled, or a decision is made: by the next action, or by none if the next is about something else. */
  wait(what) {
    const { game, state, actions } = this;
    if (what === 'pile') {
      this.piles.push([]);
      return this.apply({ shuffled: { pile: ++this.pile } });
    }
    const [asked] = game.openDecisions(state), fallback = game.defaultAction(state, asked.decision), next = actions[0];
    const words = this.options[asked.decision],
      about = next && words.includes(next.word) && (!next.who || next.who === asked.player);
    const declines =
      fallback.insurance ||
      fallback.even_money ||
      fallback === 'accept' ||
      (fallback === 'pass' && (words.includes('open') || words.includes('discard')) && !words.includes('hit'));
    if (!about && !declines && !next) {
      if (game.name === 'safe') return false;
      refuse('malformed', 'too few actions');
    }
    if (!about && !declines && next.who && next.who !== asked.player) refuse('not_your_decision');
    const action = about || !declines ? actions.shift().action : fallback;
    const acted = game.act(state, asked.player, asked.decision, action, this.balance[asked.player]);
    this.balance[asked.player] -= acted.cost;
    this.add(asked.player, asked.place, 'staked', acted.cost);
    return this.apply({ acted: { decision: asked.decision, ...acted, default: false } });
  }
}
