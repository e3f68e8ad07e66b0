// A judged round in words for its players: who won what and why. Hands, totals and winners come from the rules
// (`viewOf`), sums from the log. told-words.js has the sentences.

const fillIn = (text, values) =>
  text.replace(/\{([a-z]+)\}/g, (whole, name) => (values[name] === undefined ? whole : String(values[name])));
const tellerOf = language => (key, values = {}) =>
  fillIn((TOLD_WORDS[language] || TOLD_WORDS.en)[key] ?? TOLD_WORDS.en[key] ?? key, values);
const grouped = amount => String(amount).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const SUIT_SIGNS = { c: '♣', d: '♦', h: '♥', s: '♠' };
const cardSign = card => (card[0] === 'T' ? '10' : card[0]) + SUIT_SIGNS[card[1]];
const gain = amount => (amount > 0 ? 'won' : amount < 0 ? 'lost' : 'level');

/** The kind of failure of a check, for people; otherwise it is a failure of the log's own rules. */
const FAILURE_KINDS = {
  changed: ['inclusion', 'checkpoint', 'root'],
  stranger: ['key', 'origin'],
  incomplete: [
    'bundle_form', 'bundle_order', 'bundle_context', 'bundle_round', 'entry_form', 'canonical_form', 'opening_missing',
    'opening_extra',
  ],
  false_card: [
    'opening', 'face_false', 'face_changed', 'card_too_often', 'shoe_root', 'seed_opens', 'peek_false', 'seed_reused',
    'root_reused', 'shoe_revealed', 'shoe_committed',
  ],
  false_deal: ['seed_revealed', 'round_opened', 'dealt_slot', 'dealt_place', 'spin'],
  false_money: ['payout', 'posting', 'settlement', 'balance_before', 'void'],
  no_receipt: ['receipt'],
};

const failureKind = check =>
  Object.keys(FAILURE_KINDS).find(kind => FAILURE_KINDS[kind].includes(check)) || 'false_rules';

/** The end of the asked round: its `round_voided`, with the command's reason, or null. */
function voidOf(report) {
  const round = Number(report.round.id.split(':')[1]);
  for (const { entry } of report.entries) {
    const event = entry.events.find(one => one.round_voided && one.round_voided.round_no === round);
    if (!event) continue;
    const { reason } = entry.command.void_round || {};
    return { ...event.round_voided, reason };
  }
  return null;
}

/** A reason of the log: a word of spec/desk.md, "Reasons", alone or before details, in words; anything else quoted. */
function reasonInWords(reason = '', say) {
  const [, word, more] = /^([a-z_]+)(?:: *(.+))?$/.exec(reason) || [];
  if (!word || !(`reason_${word}` in TOLD_WORDS.en)) return say('quoted', { reason });
  return more ? say('detailed', { reason: say(`reason_${word}`), more }) : say(`reason_${word}`);
}

/**
 * The verdict on any input in words: `{verdict, title, text, technical, onTrust}`. `onTrust` says of what holds under a
 * key that the reader did not name that it could be anybody's; otherwise it is null.
 */
function verdictInWords(report, language = 'en') {
  const say = tellerOf(language), { verdict } = report, [finding] = report.findings || [];
  const phase = report.round && report.round.phase, voided = phase === 'voided';
  // A browser's record of a followed table: its finding is in the last line of the story, if there is one.
  const found = report.kind === 'follow' && !finding && / Found was: /.test(report.story[report.story.length - 1]);
  const technical = found ? report.story[report.story.length - 1] : finding
    ? `${finding.entry === undefined ? '' : `entry ${finding.entry}: `}${finding.message} [${finding.check}]`
    : report.message || '';
  const text = () => {
    if (verdict === 'unusable') return report.message;
    if (finding) return say(failureKind(finding.check));
    if (found) return say('followed');
    if (!phase) return say('sound_log');
    if (verdict === 'sound') return say(voided ? 'sound_void' : 'sound');
    return say(voided ? 'so_far_void' : phase === 'settled' ? 'so_far_seed' : 'so_far_open');
  };
  const isOnTrust = verdict.startsWith('sound') && report.key_trusted === false;
  const title = say(`${isOnTrust ? 'trust' : 'verdict'}_${verdict}`);
  return {
    verdict, title, text: text(), technical, onTrust: isOnTrust ? say('on_trust', { key: report.key }) : null,
  };
}

/** A spot of a layout by its name. */
function spotInWords(spot, say) {
  const [kind, n] = spot.split(':'), key = `spot_${kind}`;
  return say(key in TOLD_WORDS.en ? key : kind, { n });
}

/** Bets on spots, as many as fit; the others are counted. */
function betsInWords(bets, say, most = 6) {
  const net = bet => bet.returned - bet.stake;
  const ordered = [...bets].sort((a, b) => net(b) - net(a)), rest = ordered.slice(most);
  const lines = ordered.slice(0, most).map(bet =>
    say(`bet_${bet.outcome === 'loss' && bet.returned ? 'part' : bet.outcome || 'open'}`, {
      stake: grouped(bet.stake), spot: spotInWords(bet.spot, say), net: grouped(net(bet)), back: grouped(bet.returned),
    }));
  const count = outcome => rest.filter(bet => bet.outcome === outcome).length;
  if (rest.length) lines.push(say('more_bets', { n: rest.length, won: count('win'), lost: count('loss') }));
  return lines;
}

/** Whether a total of 21 has only two cards. */
const natural = cards => cards.length === 2 && cards.every(({ card }) => card) &&
  cards.some(({ card }) => card[0] === 'A') && cards.some(({ card }) => 'TJQK'.includes(card[0]));

/** The name of the best shown hand of a player, or undefined. */
function bestShown({ hole }, board, hand, say) {
  const faces = hole.map(({ card }) => card), up = board.map(({ card }) => card).filter(card => card);
  if (!hand || up.length < 3 || !faces.length || faces.some(card => !card)) return undefined;
  const key = pokerRanks.best(hand.family, faces, up).name.replace(/ /g, '_');
  return say(key === 'straight' ? 'poker_straight' : key);
}

/**
 * The players who gave a hand up unshown at the showdown: the view calls their hand folded, like that of one who
 * folded.
 */
function muckedIn({ round, entries }) {
  const found = new Set();
  let isOn = false;
  for (const { entry } of entries)
    for (const { hand_begun: begun, play } of entry.events) {
      if (begun) isOn = round.id.endsWith(`:${begun.round_no}`);
      if (isOn && play && play.acted && play.acted.action === 'muck') found.add(play.acted.player);
    }
  return found;
}

/**
 * Tells a judged round: `{game, phase, title, table: [text], players: [{player, staked, returned, net, gain, lines}],
 * voided: {cause, ahead, missing, lines} | null}`. `view` is the round at its end (`viewOf`), or null if unknown; `me`
 * is called "you".
 */
function roundInWords(report, view = null, { me = null, language = 'en' } = {}) {
  const say = tellerOf(language), { phase, players = [] } = report.round;
  const called = player => (player === me ? say('you') : player), over = ['settled', 'voided'].includes(phase);
  const game = view && view.game ? view.game.kind : null, tell = game && GAMES[game].told;
  const end = phase === 'voided' ? voidOf(report) : null, mucked = muckedIn(report);
  const told = players.map(({ player, staked, returned }) => {
    const who = called(player), net = over ? returned - staked : 0;
    const sums = { who, staked: grouped(staked), returned: grouped(returned), net: grouped(Math.abs(net)) };
    const how = tell && !end ? tell.player(view.game, player, who, say, report.hand, mucked) : [];
    const money = over ? say(gain(net), sums) : say('staked_so_far', sums);
    return { player, who, staked, returned, net, gain: over ? gain(net) : 'open', lines: [...how, money], sums };
  });
  const table = tell ? tell.table(view.game, say, over, called, report.hand) : [];
  const kept = end && told.some(({ net }) => net !== 0);
  const voided = end && {
    cause: end.cause, ahead: end.ahead, missing: end.missing,
    lines: [
      say(kept ? 'void_kept' : 'void_back'),
      say(`cause_${end.cause}`, {
        missing: end.missing.map(called).join(say('list')), reason: reasonInWords(end.reason, say),
      }),
      say(`ahead_${end.ahead}`),
    ],
  };
  return {
    game, phase, table, voided, title: roundTitle(phase, told, me, say),
    players: told.map(({ sums, ...rest }) => rest),
  };
}

/** The round in one sentence; to one of its players, about them. */
function roundTitle(phase, told, me, say) {
  if (phase === 'voided') return say('void');
  if (phase !== 'settled') return say(phase === 'open' ? 'open' : 'awaiting');
  const one = told.length === 1 ? told[0] : told.find(({ player }) => player === me);
  if (one) return say(`one_${one.gain}`, one.sums);
  // A dealt-in player without a stake neither won nor lost.
  const ordered = told.filter(({ staked, net }) => staked || net).sort((a, b) => b.net - a.net);
  const named = ordered.slice(0, 4).map(one => say(`${one.gain}_short`, one.sums));
  if (ordered.length > 4) named.push(say('others', { n: ordered.length - 4 }));
  return `${named.join(say('and'))}${say('and') === '、' ? '。' : '.'}`;
}

/** The cards on the table, hand by hand: `[{name, worth, cards: [{card}], mine, wide}]`. */
function handsInWords(view, { me = null, language = 'en', hand = null, report = null } = {}) {
  const say = tellerOf(language), { game } = view;
  const called = player => (player === me ? say('you') : player), mucked = report ? muckedIn(report) : new Set();
  const sum21 = ({ cards, total, soft }) => {
    const shown = cards.filter(({ card }) => card).length;
    // One ace has no total yet.
    return !shown ? '' : soft && shown === 1 ? '1/11' : say(soft ? 'soft' : 'total', { n: total });
  };
  const worthOf = one => (natural(one.cards) && one.blackjack !== false ? say('blackjack') : sum21(one));
  const point = (name, { cards, points }) => ({ name, worth: say('points', { n: points }), cards });
  const tools = { say, called, me, hand, mucked, sum21, worthOf, point };
  return game ? GAMES[game.kind].hands(game, tools) : [];
}

/** Which round each entry of a bundle is part of: `[{index, round}]`, null between rounds. */
function roundsOfEntries(report) {
  let live = null;
  return report.entries.map(({ index, entry }) => {
    const event = kind => (entry.events.find(one => one[kind]) || {})[kind];
    const begun = event('bets_closed') || event('hand_begun'), opened = event('bets_opened') || event('hand_called');
    const asked = Object.values(entry.command)[0].round_no;
    if (begun) live = begun.round_no;
    const round = live !== null ? live : opened ? opened.round_no : asked === undefined ? null : asked;
    if (event('round_settled') || event('round_voided')) live = null;
    return { index, round };
  });
}

/** The lines of a story about each entry, by index; and those about none. */
function storyLines(report) {
  const byEntry = new Map(), rest = [];
  let of = null;
  for (const line of report.story) {
    const head = /^\[(\d+)\] /.exec(line);
    if (head) byEntry.set(Number(head[1]), of = [line]);
    else if (of && line.startsWith('  ')) of.push(line);
    else { of = null; rest.push(line); }
  }
  return { byEntry, rest };
}

/**
 * A judged bundle's story by round, in order: `[{round, asked, first, count, lines}]`. `asked` marks the bundle's own
 * round, and the commitment and the end of its shoe.
 */
function storyByRound(report) {
  const { byEntry } = storyLines(report), wanted = Number(report.round.id.split(':')[1]), parts = [];
  const entryAt = new Map(report.entries.map(({ index, entry }) => [index, entry]));
  const frames = index =>
    entryAt.get(index).events.some(one => one.shoe_committed || one.shoe_revealed || one.shoe_sealed);
  let seen = false;
  for (const { index, round } of roundsOfEntries(report)) {
    const asked = round === wanted || (round === null && frames(index)), last = parts[parts.length - 1];
    if (round !== null) seen = true;
    if (!last || last.round !== round || last.asked !== asked)
      parts.push({ round, asked, first: !seen, count: 0, lines: [] });
    const part = parts[parts.length - 1];
    part.count++;
    part.lines.push(...(byEntry.get(index) || []));
  }
  return parts;
}

/** The story's lines about the log, its key and its shoes, without those about an entry. */
const storyOutsideEntries = report => storyLines(report).rest;

/** The asked round at its end by the rules, from its bundle; null if it is unknown. */
function viewAtEnd(text, report) {
  const views = replayOf(text, report.round.id, report.key_trusted ? report.key : null).steps.map(({ view }) => view);
  return views.filter(Boolean).pop() || null;
}
