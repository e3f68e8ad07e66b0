// Baccarat: spec/games/baccarat.md.

const baccarat = (() => {
  const points = cards => sum(cards.map(card => 'A23456789'.indexOf(rankOf(card)) + 1)) % 10;
  const bankerThird = {
    0: '0123456789', 1: '0123456789', 2: '0123456789', 3: '012345679', 4: '234567', 5: '4567', 6: '67', 7: '',
  };

  /** The place of the next card, or null: the coup is over. */
  function drawsTo({ player, banker }) {
    if (player.length < 2 || banker.length < 2) return player.length <= banker.length ? 'player' : 'banker';
    const p = points(player), b = points(banker.slice(0, 2));
    const natural = points(player.slice(0, 2)) >= 8 || b >= 8;
    if (natural || banker.length === 3) return null;
    if (player.length === 2 && p <= 5) return 'player';
    const third = player[2];
    const draws = third === undefined ? b <= 5 : (bankerThird[b] || '').includes(String(points([third])));
    return draws ? 'banker' : null;
  }

  /** How often a coup of eight packs ends so: spec/games/odds.md. */
  const CHANCES = { player: 0.446247, banker: 0.458597, tie: 0.095156 };

  const scale = (stake, numerator, denominator) => Number((BigInt(stake) * BigInt(numerator)) / BigInt(denominator));

  const winnerOf = ({ player, banker }) => {
    const ahead = points(player) - points(banker);
    return ahead > 0 ? 'player' : ahead < 0 ? 'banker' : 'tie';
  };

  return chanceGame({
    name: 'baccarat',
    fields: ['decks', 'commission', 'banker_min', 'tie_pays'],
    spots: () => ['player', 'banker', 'tie'],
    form: fieldsOf({ decks: isByte, commission: listOf(isLong, 2, 2), banker_min: isAmount, tie_pays: isLong }),

    refuseRules(rules) {
      const { decks, commission, banker_min, tie_pays } = rules.game.baccarat, table = rules.table;
      if (!whole(1, 8)(decks)) return 'decks is 1 to 8';
      if (
        !isList(commission) ||
        commission.length !== 2 ||
        !commission.every(isAmount) ||
        !(commission[0] < commission[1] && commission[1] <= 10000)
      )
        return 'commission is [n, d] with n below d';
      if (!isAmount(banker_min) || !whole(1, 100)(tie_pays)) return 'banker_min or tie_pays is out of range';
      if (table.dealing !== 'sequential') return 'baccarat is dealt sequentially';
      if (table.bets_per_player > 3) return 'there are three spots';
      if (table.reshuffle !== 'every_round' && leftByReshuffle(table.reshuffle) < 6)
        return 'reshuffle leaves fewer than six cards for a coup';
      const least = Math.ceil(Math.max(banker_min, table.stake_min) / table.stake_step) * table.stake_step;
      if (least > table.stake_max || scale(least, commission[1] - commission[0], commission[1]) < 1)
        return 'no Banker stake wins anything';
      return null;
    },
    composition: rules => `52x${rules.game.baccarat.decks}`,
    refuseSpot(rules, { spot, stake }) {
      if (!['player', 'banker', 'tie'].includes(spot)) return 'unknown_spot';
      return spot === 'banker' && stake < rules.game.baccarat.banker_min ? 'below_minimum' : null;
    },
    begin: () => ({ player: [], banker: [], slots: { player: [], banker: [] } }),
    next(state) {
      const to = drawsTo(state);
      return to && { dealt: { lane: 0, to, hidden: false } };
    },
    apply(state, { dealt }) {
      state[dealt.to].push(dealt.card);
      state.slots[dealt.to].push(dealt.slot);
    },
    isAhead: state => state.banker.length > 0,
    returned(state, { spot, stake }) {
      const { commission: [n, d], tie_pays } = state.options, winner = winnerOf(state);
      if (spot !== winner) return winner === 'tie' ? stake : 0;
      return stake + (spot === 'player' ? stake : spot === 'banker' ? scale(stake, d - n, d) : stake * tie_pays);
    },
    oddsOf: ({ decks, commission: [n, d], tie_pays }, spot) => ({
      kind: spot,
      ways: decks === 8 ? {
        player: [[CHANCES.player, 2], [CHANCES.tie, 1]],
        banker: [[CHANCES.banker, 2 - n / d], [CHANCES.tie, 1]],
        tie: [[CHANCES.tie, 1 + tie_pays]],
      }[spot] : null,
    }),
    view(state) {
      const hand = name => ({
        cards: state[name].map((card, i) => ({ slot: state.slots[name][i], card })),
        points: points(state[name]),
      });
      return { player: hand('player'), banker: hand('banker'), outcome: drawsTo(state) ? null : winnerOf(state) };
    },
    told: ({ player, banker, outcome }, say) =>
      (outcome
        ? [say('coup', { player: player.points, banker: banker.points, winner: say(`coup_${outcome}`) })]
        : []),
    hands: ({ player, banker }, { say, point }) => [point(say('player'), player), point(say('banker'), banker)],
  });
})();
