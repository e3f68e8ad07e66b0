// Several logs that know each other, checked together: spec/transfers.md, "All logs together".

/** A log's transfers to others and claims from them, in its order. */
function transfersIn({ lines }) {
  const sent = [], claimed = [], policies = new Map();
  lines.forEach((line, entry) => {
    if (!line.includes('"transferred_') && !line.includes('"log_known"')) return;
    const { time, command: { transfer_in: claim }, events } = readEntry(line);
    for (const { transferred_out: out, transferred_in: come, log_known: known } of events) {
      if (known) policies.set(known.log, known.policy);
      if (out) sent.push({ ...out, entry, since: time });
      if (!come) continue;
      const [{ text: key }] = policyOfLog(policies.get(come.from), come.from).logs;
      claimed.push({ ...come, entry, claim, key });
    }
  });
  return { sent, claimed };
}

/** The log's own name. */
function nameOfLog({ lines }) {
  const { start_dealer: start } = readEntry(lines[0]).command;
  return start ? start.origin : unsound('first_entry', 'a log begins with the start of the dealer');
}

/** Each log alone: `{name, log, report, origin, …}`; `origin` is null if its name cannot be read. */
function judgedAlone({ name, log, against = {} }) {
  const report = verifyLog(log, against);
  let origin = null;
  try { origin = nameOfLog(log); } catch (error) { if (!(error instanceof Unsound)) throw error; }
  return { name, log, report, origin };
}

/** All logs of a cluster, each of which is sound alone. */
class Cluster {
  constructor(members) {
    this.members = new Map(members.map(member => [member.origin, { ...member, ...transfersIn(member.log) }]));
    this.findings = [];
    this.underWay = []; // sent from one of them to another, and not claimed
    this.elsewhere = []; // sent to a log that is not here
    this.beyond = []; // claims under a checkpoint that the copy of the other log does not reach yet
    this.pairs = [];
  }

  find(check, { origin }, message, entry) {
    this.findings.push({ check, log: origin, ...(entry === undefined ? {} : { entry }), message });
  }

  judge() {
    for (const member of this.members.values()) member.claimed.forEach(claim => this.holdClaim(member, claim));
    const claims = new Set();
    for (const { origin, claimed } of this.members.values())
      claimed.forEach(({ from, no }) => claims.add(quote([from, origin, no])));
    for (const { origin: from, sent } of this.members.values())
      for (const { to, no, player, amount, entry } of sent) {
        const one = { from, to, no, entry, player, amount };
        if (!this.members.has(to)) this.elsewhere.push(one);
        else if (!claims.has(quote([from, to, no]))) this.underWay.push(one);
      }
    this.addUp();
    return this;
  }

  /** A claim's entry equals the other log's, byte for byte, and the checkpoint of its receipt is one of this log's. */
  holdClaim(member, { from, no, index, player, amount, entry, claim, key }) {
    const other = this.members.get(from);
    if (!other) return;
    // Attack: a house that accepts receipts of a key it made up, so that the other one seems to have signed twice.
    if (other.report.key && key !== other.report.key) {
      this.find(
        'claim',
        member,
        `it is claimed under the key ${key}, ${from} is signed by ${other.report.key}: whoever named that key ` +
          `says so of ${from}`,
        entry,
      );
      return;
    }
    const { lines, leaves } = other.log, checkpoint = this.checkpointOf(claim), size = Number(checkpoint.size);
    other.roots = other.roots || rootsOf(leaves);
    const whose = other.report.key ? `the key of ${from}` : `if ${key} is the key of ${from}, it`;
    const signedTwice = `${whose} signed two histories, and the claim's receipt is the evidence`;
    const isThere = index < lines.length;
    if (isThere && lines[index] !== claim.entry)
      this.find('claim', member, `entry ${index} of ${from} is not the one that is claimed: ${signedTwice}`, entry);
    if (size > lines.length) {
      this.beyond.push({ from, to: member.origin, no, entry, index, size, player, amount, is_there: isThere });
      return;
    }
    if (!sameBytes(checkpoint.root, other.roots[size]))
      this.find(
        'claim',
        member,
        `the receipt's checkpoint has root ${base64(checkpoint.root)} for ${size} entries, ${from} has ` +
          `${base64(other.roots[size])}: ${signedTwice}`,
        entry,
      );
  }

  /** The checkpoint of a judged receipt. */
  checkpointOf({ receipt }) {
    return readCheckpointText(readNote(readReceipt(unbase64(receipt)).checkpoint).text);
  }

  /** Sums by pair of logs and in all, checked against the accounts. */
  addUp() {
    const amounts = list => sumBig(list, ({ amount }) => amount), origins = [...this.members.keys()];
    const between = ({ from, to }) => one => one.from === from && one.to === to;
    for (const from of origins)
      for (const to of origins) {
        if (from === to) continue;
        const sent = this.members.get(from).sent.filter(one => one.to === to),
          claimed = this.members.get(to).claimed.filter(one => one.from === from);
        if (!sent.length && !claimed.length) continue;
        const underWay = this.underWay.filter(between({ from, to }));
        this.pairs.push({ from, to, sent: amounts(sent), claimed: amounts(claimed), under_way: amounts(underWay) });
      }
    const accounts = origins.flatMap(of => {
      const { balances } = this.members.get(of).report;
      return origins.map(to => BigInt(balances[transfersOf(to)] || 0));
    });
    const stands = accounts.reduce((all, balance) => all + balance, 0n);
    const notThere = amounts(this.beyond.filter(({ is_there: isThere }) => !isThere));
    this.total = amounts(this.underWay);
    if (this.findings.length || stands === this.total - notThere) return;
    this.findings.push({
      check: 'cluster_sum',
      message: `${this.total} are under way and ${notThere} were claimed of entries that the copies do not have; ` +
        `the accounts between these logs stand at ${stands}`,
    });
  }
}

/** If a log of the cluster goes on from another one, transfers to the old name stay pending for ever. */
const endedBy = (members, origin) => members.find(({ report }) => (report.goes_on_from || {}).origin === origin);

function clusterWords({ pairs, underWay, elsewhere, beyond, total }, members) {
  const sums = ({ from, to, sent, claimed, under_way: left }) =>
    `From ${from} to ${to}: ${sent} sent, ${claimed} claimed, ${left} under way.`;
  const left = ({ from, to, no, entry, player, amount }) => {
    const next = endedBy(members, to), ever = next ? `, for ever: ${next.origin} goes on in the place of ${to}` : '';
    return `Under way: ${amount} from ${from} to ${to} for ${player} (no. ${no}, entry ${entry})${ever}.`;
  };
  const places = [...new Set(elsewhere.map(({ to }) => to))];
  return [
    ...pairs.map(sums),
    ...underWay.map(left),
    ...(places.length ? [`Sent to logs that were not named, and not followed there: ${places.join(', ')}.`] : []),
    ...beyond.map(({ from, to, entry, index, size, is_there: isThere }) =>
      `Not held: entry ${entry} of ${to} claims entry ${index} of ${from} under its ${size} entries, of which the ` +
        `copy ${isThere ? 'has' : 'does not have'} that one, and not all.`),
    `In all ${total} are under way between these logs.`,
  ];
}

/**
 * The verdict on several logs, `{name, log, against}`, alone and together. Unclaimed transfers are listed; they are no
 * finding.
 */
function verifyCluster(logs) {
  const members = logs.map(judgedAlone), alone = members.filter(({ report }) => report.verdict === 'not_sound');
  const last = ({ story }) => story[story.length - 1];
  const report = {
    verdict: 'not_sound',
    findings: alone.flatMap(({ origin, report: { findings } }) => findings.map(one => ({ log: origin, ...one }))),
    logs: members.map(({ name, origin, report: one }) => {
      const { verdict, entries, signature_checked: signed } = one;
      return { source: name, origin, verdict, entries, signature_checked: signed };
    }),
    story: members.map(({ name, report: one }) => `${name}: ${last(one)}`),
    open: members.some(({ report: { open, due } }) => open.length + due.length > 0),
  };
  if (alone.length) {
    report.story.push('NOT SOUND. These logs were not held against each other: each has to be sound first.');
    return report;
  }
  const twice = members.find(({ origin }, i) => members.findIndex(other => other.origin === origin) !== i);
  if (twice) throw new Unusable(`two sources are copies of one log, ${twice.origin}: name one`);
  const cluster = new Cluster(members).judge(), { findings, pairs, underWay, elsewhere, beyond, total } = cluster;
  Object.assign(report, { findings, pairs, under_way: underWay, elsewhere, beyond, total });
  report.story.push(...clusterWords(cluster, members));
  for (const { check, log, entry, message } of findings)
    report.story.push(
      `NOT SOUND. ${log === undefined ? '' : `${log}, entry ${entry}: `}${message} [${check}]`,
    );
  if (findings.length) return report;
  report.verdict = beyond.length || members.some(({ report: one }) => one.verdict !== 'sound')
    ? 'sound_so_far'
    : 'sound';
  report.story.push(
    `${report.verdict === 'sound' ? 'SOUND' : 'SOUND SO FAR'}. ${members.length} logs were judged each by itself, ` +
      'and every claim that one of them made on another is held against that one.',
  );
  return report;
}
