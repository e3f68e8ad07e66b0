// Dragon Tiger: spec/games/dragon-tiger.md.

const dragon_tiger = (() => {
  const SPOTS = ['dragon', 'tiger', 'tie', 'suited-tie'];
  const height = card => 'A23456789TJQK'.indexOf(rankOf(card));

  /** The result of two cards, in the view's word; null before Tiger's. */
  function resultOf({ dragon, tiger }) {
    if (!tiger) return null;
    const ahead = height(dragon.card) - height(tiger.card);
    if (ahead) return ahead > 0 ? 'dragon' : 'tiger';
    return dragon.card === tiger.card ? 'suited_tie' : 'tie';
  }

  return chanceGame({
    name: 'dragon_tiger',
    fields: ['decks', 'tie_pays', 'suited_tie_pays'],
    form: fieldsOf({ decks: isByte, tie_pays: isLong, suited_tie_pays: isLong }),
    spots: () => SPOTS,

    refuseRules({ table, game: { dragon_tiger: { decks, tie_pays, suited_tie_pays } } }) {
      if (!whole(2, 8)(decks)) return 'decks is 2 to 8';
      if (![tie_pays, suited_tie_pays].every(whole(1, 100))) return 'a tie pays 1 to 100';
      if (table.dealing !== 'sequential') return 'Dragon Tiger is dealt sequentially';
      if (table.bets_per_player > SPOTS.length) return 'there are four spots';
      return table.reshuffle !== 'every_round' && leftByReshuffle(table.reshuffle) < 2
        ? 'reshuffle leaves fewer than two cards for a coup' : null;
    },
    composition: rules => `52x${rules.game.dragon_tiger.decks}`,
    refuseSpot: (rules, { spot }) => (SPOTS.includes(spot) ? null : 'unknown_spot'),
    begin: () => ({ dragon: null, tiger: null }),
    next(state) {
      const to = ['dragon', 'tiger'].find(side => !state[side]);
      return to ? { dealt: { lane: 0, to, hidden: false } } : null;
    },
    apply(state, { dealt: { to, slot, card } }) { state[to] = { slot, card }; },
    isAhead: state => state.tiger !== null,
    returned(state, { spot, stake }) {
      const result = resultOf(state), tied = result.endsWith('tie'), { tie_pays, suited_tie_pays } = state.options;
      if (spot === 'suited-tie') return result === 'suited_tie' ? stake * (1 + suited_tie_pays) : 0;
      if (spot === 'tie') return tied ? stake * (1 + tie_pays) : 0;
      return tied ? (stake - stake % 2) / 2 : spot === result ? 2 * stake : 0;
    },
    oddsOf({ decks, tie_pays, suited_tie_pays }, spot) {
      // Of the cards left after Dragon's.
      const left = 52 * decks - 1, tied = (4 * decks - 1) / left, suited = (decks - 1) / left;
      const side = [[(1 - tied) / 2, 2], [tied, 0.5]];
      const ways = { tie: [[tied, 1 + tie_pays]], 'suited-tie': [[suited, 1 + suited_tie_pays]] }[spot] || side;
      return { kind: spot, ways };
    },
    view: state => ({ dragon: state.dragon, tiger: state.tiger, outcome: resultOf(state) }),
    told: ({ dragon, tiger, outcome }, say) =>
      (outcome ? [say('duel', {
        dragon: cardSign(dragon.card), tiger: cardSign(tiger.card), winner: say(`duel_${outcome}`),
      })] : []),
    hands: ({ dragon, tiger }, { say }) =>
      Object.entries({ dragon, tiger }).map(([side, card]) => ({
        name: say(`spot_${side}`), worth: '', cards: card ? [card] : [],
      })),
  });
})();
