// Roulette: spec/games/roulette.md.

const roulette = (() => {
  const RED = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];
  const oneTo36 = Array.from({ length: 36 }, (_, i) => i + 1);
  const range = (from, to) => oneTo36.slice(from - 1, to);

  /** Every spot of the layout in its one spelling: its numbers and its payout kind. */
  const spots = (() => {
    const all = new Map();
    const lay = (kind, numbers, name) => all.set(`${kind}:${name || numbers.join('-')}`, { kind, numbers });
    for (let n = 0; n <= 36; n++) lay('straight', [n]);
    for (const n of [1, 2, 3]) lay('split', [0, n]);
    for (const n of oneTo36) {
      if (n % 3) lay('split', [n, n + 1]);
      if (n <= 33) lay('split', [n, n + 3]);
      if (n % 3 === 1) lay('street', range(n, n + 2));
      if (n % 3 && n <= 32) lay('corner', [n, n + 1, n + 3, n + 4]);
      if (n % 3 === 1 && n <= 31) lay('line', range(n, n + 5), `${n}-${n + 5}`);
    }
    lay('street', [0, 1, 2]);
    lay('street', [0, 2, 3]);
    lay('corner', [0, 1, 2, 3]);
    for (const n of [1, 2, 3]) {
      lay('column', oneTo36.filter(m => m % 3 === n % 3), String(n));
      lay('dozen', range(12 * n - 11, 12 * n), String(n));
    }
    const even = {
      red: RED,
      black: oneTo36.filter(n => !RED.includes(n)),
      odd: oneTo36.filter(n => n % 2),
      even: oneTo36.filter(n => n % 2 === 0),
      low: range(1, 18),
      high: range(19, 36),
    };
    for (const [name, numbers] of Object.entries(even)) all.set(name, { kind: 'even_chance', numbers });
    return all;
  })();

  const kinds = ['straight', 'split', 'street', 'corner', 'line', 'column', 'dozen', 'even_chance'];

  return chanceGame({
    name: 'roulette',
    fields: ['spins', 'pays'],
    form: fieldsOf({ spins: isSmall, pays: fieldsOf(Object.fromEntries(kinds.map(kind => [kind, isLong]))) }),
    wheel: true,
    spots: () => [...spots.keys()],

    refuseRules(rules) {
      const { spins, pays } = rules.game.roulette, { table } = rules;
      if (!whole(1, 4096)(spins)) return 'spins is 1 to 4096';
      if (!isObject(pays) || Object.keys(pays).join() !== kinds.join() || !Object.values(pays).every(whole(1, 100)))
        return 'pays is 1 to 100 for each kind of spot';
      if (table.dealing !== 'sequential') return 'roulette has one lane';
      if (table.bets_per_player > spots.size) return 'the layout has 157 spots';
      if (table.house_shuffle) return 'a wheel is not shuffled';
      if (table.reshuffle.cut_back !== undefined || table.reshuffle.left_below === 0)
        return 'reshuffle does not fit a wheel';
      return null;
    },
    composition: rules => `wheel37x${rules.game.roulette.spins}`,
    refuseSpot: (rules, { spot }) => (spots.has(spot) ? null : 'unknown_spot'),
    begin: () => ({ spun: null }),
    next: state => (state.spun ? null : { spun: {} }),
    apply(state, { spun }) { state.spun = spun; },
    isAhead: state => state.spun !== null,
    returned({ spun, options }, { spot, stake }) {
      const { kind, numbers } = spots.get(spot);
      return numbers.includes(spun.pocket) ? stake * (1 + options.pays[kind]) : 0;
    },
    oddsOf({ pays }, spot) {
      const { kind, numbers } = spots.get(spot);
      return { kind, ways: [[numbers.length / 37, 1 + pays[kind]]] };
    },
    view({ spun }) {
      const colour = pocket => (pocket === 0 ? 'green' : RED.includes(pocket) ? 'red' : 'black');
      return {
        spin: spun && { slot: spun.slot, value: spun.value, pocket: spun.pocket, colour: colour(spun.pocket) },
      };
    },
    told: ({ spin }, say) => (spin ? [say('ball', { pocket: spin.pocket, colour: say(spin.colour) })] : []),
  });
})();
