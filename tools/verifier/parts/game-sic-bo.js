// Sic Bo: spec/games/sic-bo.md.

const sic_bo = (() => {
  const NUMBERS = [1, 2, 3, 4, 5, 6];
  const diceOf = pocket => [Math.floor(pocket / 36), Math.floor(pocket / 6) % 6, pocket % 6].map(die => die + 1);
  const isTriple = dice => new Set(dice).size === 1;

  /** Every spot in its one spelling: what it pays on these dice, or 0. */
  const spots = (() => {
    const all = new Map();
    const lay = (name, kind, pays) => all.set(name, { kind, pays });
    const when = (wins, pays) => (options, dice) => (wins(dice) ? pays(options) : 0);
    const of = (dice, number) => dice.filter(die => die === number).length;
    lay('small', 'even_chance', when(dice => !isTriple(dice) && sum(dice) <= 10, pays => pays.even_chance));
    lay('big', 'even_chance', when(dice => !isTriple(dice) && sum(dice) >= 11, pays => pays.even_chance));
    for (const n of NUMBERS) lay(`triple:${n}`, 'triple', when(dice => of(dice, n) === 3, pays => pays.triple));
    lay('any-triple', 'any_triple', when(isTriple, pays => pays.any_triple));
    for (const n of NUMBERS) lay(`double:${n}`, 'double', when(dice => of(dice, n) > 1, pays => pays.double));
    for (let n = 4; n <= 17; n++)
      lay(`total:${n}`, 'total', when(dice => sum(dice) === n, pays => pays.totals[(n > 10 ? 21 - n : n) - 4]));
    for (const a of NUMBERS)
      for (const b of NUMBERS.slice(a))
        lay(`pair:${a}-${b}`, 'pair', when(dice => dice.includes(a) && dice.includes(b), pays => pays.pair));
    for (const n of NUMBERS)
      lay(`single:${n}`, 'single', (pays, dice) => (dice.includes(n) ? pays.single[of(dice, n) - 1] : 0));
    return all;
  })();

  const one = ['even_chance', 'triple', 'any_triple', 'double'], lists = { totals: 7, single: 3 };
  const kinds = [...one, 'totals', 'pair', 'single'];

  return chanceGame({
    name: 'sic_bo',
    fields: ['spins', 'pays'],
    form: fieldsOf({
      spins: isSmall,
      pays: fieldsOf(Object.fromEntries(kinds.map(kind =>
        [kind, lists[kind] ? listOf(isLong, lists[kind], lists[kind]) : isLong]))),
    }),
    wheel: true,
    spots: () => [...spots.keys()],

    refuseRules({ table, game: { sic_bo: { spins, pays } } }) {
      if (!whole(1, 4096)(spins)) return 'spins is 1 to 4096';
      if (!isObject(pays) || Object.keys(pays).join() !== kinds.join()) return 'pays names each kind of spot';
      if (Object.entries(lists).some(([kind, length]) => !isList(pays[kind]) || pays[kind].length !== length))
        return 'totals has seven, single three';
      if (!Object.values(pays).flat().every(whole(1, 200))) return 'each of pays is 1 to 200';
      if (table.dealing !== 'sequential') return 'dice have one lane';
      if (table.bets_per_player > spots.size) return 'the layout has 50 spots';
      if (table.house_shuffle) return 'dice are not shuffled';
      return table.reshuffle.cut_back !== undefined || table.reshuffle.left_below === 0
        ? 'reshuffle does not fit dice' : null;
    },
    composition: rules => `wheel216x${rules.game.sic_bo.spins}`,
    refuseSpot: (rules, { spot }) => (spots.has(spot) ? null : 'unknown_spot'),
    begin: () => ({ spun: null }),
    next: state => (state.spun ? null : { spun: {} }),
    apply(state, { spun }) { state.spun = spun; },
    isAhead: state => state.spun !== null,
    returned({ spun, options }, { spot, stake }) {
      const pays = spots.get(spot).pays(options.pays, diceOf(spun.pocket));
      return pays ? stake * (1 + pays) : 0;
    },
    oddsOf({ pays }, spot) {
      const won = Array.from({ length: 216 }, (_, pocket) => spots.get(spot).pays(pays, diceOf(pocket)));
      const back = [...new Set(won)].filter(Boolean);
      return {
        kind: spots.get(spot).kind,
        ways: back.map(paid => [won.filter(one => one === paid).length / 216, 1 + paid]),
      };
    },
    view({ spun }) {
      const dice = spun && diceOf(spun.pocket);
      const { slot, value, pocket } = spun || {};
      return { throw: spun && { slot, value, pocket, dice, total: sum(dice) } };
    },
    told: ({ throw: thrown }, say) =>
      (thrown ? [say('dice', { dice: thrown.dice.join(', '), total: thrown.total })] : []),
  });
})();
