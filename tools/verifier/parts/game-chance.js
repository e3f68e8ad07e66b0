// What the games that chance alone decides have in common: bets on spots of a layout, events that nobody chooses, and
// one settlement (spec/games/baccarat.md, roulette.md).

/**
 * Such a game of its own parts: `begin` (what its state holds before the first event), `next` (the event before the
 * payments; null: all is known), `apply`, `isAhead` (whether anything is known), `returned` (of a bet, at its end). For
 * the log's figures: `oddsOf` a spot, its kind of bet with `[chance, return of a unit]` of each way, or with null.
 */
function chanceGame({ begin, next, apply, isAhead, returned, ...game }) {
  const settle = state =>
    state.bets.map(({ player, spot, stake }) => {
      const back = returned(state, { spot, stake });
      const outcome = back > stake ? 'win' : back === stake ? 'draw' : 'loss';
      return { player, place: spot, wager: 'bet', outcome, stake, returned: back };
    });
  return {
    spotIsSeat: false,
    leastPlayers: 1,
    lanes: () => 1,
    start: (rules, contributors) => ({
      options: rules.game[game.name], paid: false, lines: null, ...begin(),
      bets: contributors.flatMap(({ player, bets }) => bets.map(({ spot, stake }) => ({ player, spot, stake }))),
    }),
    next: state => (state.paid ? { done: true } : next(state) || { paid: { lines: settle(state) } }),
    apply(state, event) {
      if (event.paid) Object.assign(state, { paid: true, lines: event.paid.lines });
      else apply(state, event);
    },
    // Such a round is opened and over in one entry: nothing is ever decided in it.
    openDecisions: () => [],
    options: () => [],
    ahead(state) {
      if (!isAhead(state)) return 'nobody';
      const net = sum(settle(state).map(line => line.returned - line.stake));
      return net > 0 ? 'players' : net < 0 ? 'house' : 'level';
    },
    settled: state => state.paid,
    hands: () => [],
    ...game,
    view: state => ({
      ...game.view(state),
      bets: state.bets.map(({ player, spot, stake }, i) => {
        const { outcome, returned: back } = state.lines ? state.lines[i] : { outcome: null, returned: null };
        return { player, spot, stake, outcome, returned: back };
      }),
    }),
    told: {
      table: game.told,
      player: ({ bets }, player, who, say) => betsInWords(bets.filter(bet => bet.player === player), say),
    },
  };
}
