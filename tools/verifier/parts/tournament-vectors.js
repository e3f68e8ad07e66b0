// Checks tournaments.json, section by section, against tournament.js.

const readEventField = ({ seats, last_table, tables }) => ({
  seats, last_table, tables: tables.map(table => ({ ...table, players: Object.fromEntries(table.players) })),
});
const writeEventField = ({ seats, last_table, tables }) => ({
  last_table, seats,
  tables: tables.slice().sort((a, b) => a.table - b.table).map(({ table, last_big, players }) => ({
    last_big, players: takenSeats({ players }).map(seat => [seat, players[seat]]), table,
  })),
});

/** The results of files, or the codes of their refusals. */
function fileVectors(compute, tally, cases, structures) {
  const shipped = name => (Object.hasOwn(structures, name) ? structures[name] : null);
  for (const { name, in: given, out, refused } of cases) {
    let got;
    try { got = { out: compute(utf8(quote(given)), shipped) }; } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
      got = { refused: error.code };
    }
    tally.alike(name, got, refused ? { refused } : { out });
    if (out && out.sum) tally.same(`the sum of ${name}`, out.sum.holds, true);
  }
}

const TOURNAMENT_VECTORS = {
  structures(tally, cases) {
    for (const { name, canonical, digest } of cases) {
      tally.same(`canonical text of ${name}`, sortedText(JSON.parse(canonical)), canonical);
      tally.same(`digest of ${name}`, structureDigest(JSON.parse(canonical)), digest);
    }
  },

  draws(tally, cases) {
    const events = new Map();
    for (const draw of cases) {
      const dctx = contextOf(draw.context), name = draw.context.table;
      if (!events.has(name)) {
        const chain = drawChain(new Uint8Array(32), dctx);
        events.set(name, { links: chain.links, last: chain.tip, running: new Uint8Array(32) });
        tally.same('tip', hex(chain.tip), draw.tip);
      }
      const event = events.get(name), link = unhex(draw.link, 32);
      tally.same('link', hex(event.links[draw.draw_no]), draw.link);
      tally.same('link before', hex(linkBefore(dctx, draw.draw_no, link)), hex(event.last));
      const running = draw.hands.reduce(runningAfterHand, event.running);
      tally.same('running entropy', hex(running), draw.running);
      for (const entrant of draw.entrants.filter(({ seed }) => seed)) {
        tally.same('commitment', seatCommitment(dctx, entrant), entrant.commitment);
      }
      const entropy = drawEntropy(dctx, draw.draw_no, link, running, draw.entrants);
      const field = readEventField(draw.before);
      tally.same('entropy', hex(entropy), draw.entropy);
      drawSeats(entropy, draw.kind, draw.entrants.map(({ entry_no }) => entry_no), field);
      tally.alike(`seats of draw ${draw.draw_no} of ${name}`, writeEventField(field), draw.after);
      Object.assign(event, { last: link, running: entropy });
    }
  },

  seating(tally, cases) {
    for (const { field, due } of cases) tally.alike('due', seatingDue(readEventField(field)), due);
  },

  clock(tally, cases, structures) {
    for (const { structure: name, start, stops, now, running, late, ...at } of cases) {
      const structure = structures[name];
      tally.same('running time', runningTime(structure, start, stops, now), running);
      tally.alike('the clock', clockAt(structure, running, now), at);
      tally.same('late registration', withinLevels(structure, structure.late_levels, running), late);
    }
  },

  registration(tally, cases, structures) {
    for (const { structure, closed, ...field } of cases) {
      tally.same('registration', registrationClosed(structures[structure], field), closed);
    }
  },

  pools(tally, cases, structures) {
    for (const { structure: name, collected, cut_short, pool, overlay, ...sold } of cases) {
      const given = collectedOf(structures[name], sold);
      const whole = cut_short ? given.pool : Math.max(given.pool, structures[name].guarantee);
      tally.alike('collected', given, collected);
      tally.same('pool', [whole, whole - given.pool], [pool, overlay]);
    }
  },

  prizes(tally, cases, structures) {
    for (const { structure: name, entries, players, pool, table, places, ends_with } of cases) {
      const structure = structures[name];
      tally.alike('prizes', prizeTable(structure, entries, players, pool), table);
      tally.same('places paid', placesPaid(structure, entries, players, pool), places);
      tally.same('ends with', endsWith(structure, players, pool), ends_with);
    }
  },

  ties(tally, cases) {
    for (const { table, seat_value, first, last, prize, cut } of cases) {
      tally.alike('tie', tiedPrize(table, seat_value, first, last), [prize, cut]);
    }
  },

  ranks(tally, cases) {
    for (const { remaining, eliminations, ranks } of cases) {
      const given = Object.fromEntries(ranks.map(({ entry_no, first, last }) => [entry_no, [first, last]]));
      tally.alike('ranks', eliminationRanks(remaining, eliminations), given);
    }
  },

  bounties(tally, cases) {
    for (const { onto_head, heads, steps, paid } of cases) {
      const bounties = new EventBounties(onto_head, heads);
      for (const step of steps) {
        if (step === 'reach_money') bounties.reachMoney();
        else if (step === 'end_hand') bounties.endHand();
        else if (step.stand) tally.same('bounties', bounties.standing(), step.stand);
        else if (step.disqualify !== undefined) bounties.disqualify(step.disqualify);
        else bounties.eliminate(step.eliminate, step.winners, step.paid_place);
      }
      bounties.finish();
      tally.same('paid', [...bounties.paid].sort(([a], [b]) => a - b), paid);
      tally.same('all bounties', sum([...bounties.paid.values()]), sum(heads));
    }
  },

  deals(tally, cases) {
    for (const { method, players, prizes, shares } of cases) {
      const { exact, paid } = dealShares(method, players, prizes);
      tally.same('exact shares', exact.map(pair => pair.map(String)), shares.map(share => share.exact));
      tally.same('deal', paid, shares.map(share => share.paid));
      tally.same('the undistributed pool', sum(paid), sum(prizes));
    }
  },

  stakes(tally, cases) {
    for (const { form, total, stakes, division } of cases) {
      tally.alike('stakes', stakeDivision(form, total, stakes), division);
    }
  },

  refunds(tally, cases) {
    for (const { name, in: given, out } of cases) {
      const apart = sum(given.players.map(({ fee, bounty }) => fee + bounty));
      tally.alike(`refund ${name}`, eventRefund(given), out);
      tally.same('sum of a refund', out.total + out.residual, given.pool + apart);
    }
  },

  no_refunds(tally, cases) {
    for (const { in: given } of cases) {
      let refused = false;
      try { eventRefund(given); } catch (error) { refused = error instanceof FileRefusal; }
      tally.same(`no refund of ${quote(given)}`, refused, true);
    }
  },

  refund_files(tally, cases, structures) { fileVectors(cancelledFile, tally, cases, structures); },

  prize_files(tally, cases, structures) { fileVectors(prizesFile, tally, cases, structures); },

  instants(tally, cases, structures) {
    for (const event of cases) {
      for (const { instant, out } of event.results) {
        tally.alike(`refund at ${instant}`, refundAt(structures[event.structure], event, instant), out);
      }
    }
  },
};

VECTORS['tournaments.json'] = (tally, file) => {
  const structures = Object.fromEntries(file.structures.map(({ name, canonical }) => [name, JSON.parse(canonical)]));
  tally.same('sections', Object.keys(file).sort(), Object.keys(TOURNAMENT_VECTORS).sort());
  for (const [section, check] of Object.entries(TOURNAMENT_VECTORS)) check(tally, file[section], structures);
};
