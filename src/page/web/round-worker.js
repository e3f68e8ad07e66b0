// Judges, tells and replays a bundle in a worker, all by the verifier (tools/verifier); the results are plain data.
/* global fairshoe, importScripts */

importScripts('./fairshoe-verify.js');

/** The event of a step: an entry's steps are in the order of its events. */
function withFields(steps) {
  let last = null,
    at = 0;
  return steps.map(({ entry, event, ...step }) => {
    if (step.index !== last) [last, at] = [step.index, 0];
    while (at < entry.events.length && fairshoe.eventName(entry.events[at]) !== event) at++;
    const logged = entry.events[at++];
    return { ...step, event, fields: logged ? fairshoe.eventFields(logged) : {}, time: entry.time, by: entry.by };
  });
}

/** Each shoe's commitment: `[[shoe, {entry, candidates}]]`. */
const commitments = report =>
  report.entries.flatMap(({ index, entry }) =>
    entry.events
      .filter(event => event.shoe_committed)
      .map(({ shoe_committed: shoe }) => [shoe.shoe_no, { entry: index, candidates: shoe.candidates }]),
  );

const rulesOf = report => {
  for (const {
    entry: { command },
  } of report.entries) {
    const opens = command.open_table || command.open_event_table;
    if (opens) return opens.rules;
  }
  return null;
};

function judge({ text, round, vkey, me, language }) {
  const report = fairshoe.verifyBundle(text, vkey),
    known = !!report.round?.phase;
  const replay = report.entries.length ? fairshoe.replayOf(text, round, vkey) : { steps: [] };
  const steps = withFields(replay.steps),
    view =
      steps
        .map(step => step.view)
        .filter(Boolean)
        .pop() || null;
  let note = null;
  try {
    note = JSON.parse(text).checkpoint.split('\n');
  } catch {
    /* the verdict says so */
  }
  return {
    verdict: fairshoe.verdictInWords(report, language),
    told: known ? fairshoe.roundInWords(report, view, { me, language }) : null,
    rules: rulesOf(report),
    shoes: commitments(report),
    steps,
    log: note && { origin: note[0], size: note[1], root: note[2] },
    vkey: report.key,
    keyTrusted: report.key_trusted,
  };
}

onmessage = ({ data: { number, given } }) => {
  try {
    postMessage({ number, reply: judge(given) });
  } catch (error) {
    postMessage({ number, error: error.message || String(error) });
  }
};
