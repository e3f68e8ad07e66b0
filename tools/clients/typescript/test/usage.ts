// How the package is used from TypeScript. Compiled by types.test.js, never run: what is marked must not compile.
import {
  CheckFailed,
  Client,
  ProblemError,
  type Accepted,
  type Action,
  type Bet,
  type LogEvent,
  type Strategy,
  type TableView,
  formatChips,
} from 'fairshoe';
import { FileStore } from 'fairshoe/node';

const client = new Client({ addresses: ['https://a.example', 'https://b.example'], store: new FileStore('kept') });

export async function plays(signal: AbortSignal): Promise<number> {
  const view: TableView = await client.getTable({ table: 'joy-1' }, { signal });
  const bets: Bet[] = [{ spot: '1', stake: view.rules.table.stake_min }];
  const raise: Action = { raise: { to: 600 } };
  const strategy: Strategy = {
    bets: () => bets,
    decide: ({ decision, round }) => {
      if (round.game && 'board' in round.game) return raise;
      return decision.options.some(({ action }) => action === 'hit') ? 'hit' : 'stand';
    },
  };
  let net = 0;
  for await (const { staked, returned, verdict } of client.table('joy-1', { signal }).play(strategy, { rounds: 2 })) {
    net += returned - staked;
    const word: 'sound' | 'sound_so_far' | 'not_sound' = verdict.verdict;
    for (const { check, entry } of verdict.findings) console.log(word, check, entry ?? 'nowhere');
  }
  return net;
}

export async function errors(asked: Promise<Accepted>): Promise<string | null> {
  try {
    const { receipts, balance } = await asked;
    return `${receipts[0]?.index} ${balance ?? 0}`;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'insufficient_balance') return error.detail;
    if (error instanceof CheckFailed) return error.evidence?.text ?? null;
    throw error;
  }
}

export async function lists(): Promise<string> {
  const { currency } = await client.getLog();
  let net = 0;
  for await (const part of client.eachRound({ outcome: 'won', min_net: 1 })) net += part.net ?? 0;
  for await (const { amount } of client.eachTransaction('alice', { from: '1' })) net += amount;
  const { commitment } = await client.tryCommitment({ table: 'joy-1' });
  return `${formatChips(net, currency)} ${commitment}`;
}

export async function seats(): Promise<number | undefined> {
  const table = client.table('holdem-1');
  const sat: Accepted | null = await table.sit({ buy_in: 10_000 });
  const left: Accepted | null = await table.leave();
  return (sat ?? left)?.balance;
}

export const settled = (event: LogEvent): number | null =>
  'round_settled' in event ? event.round_settled.round_no : null;

export async function wrong(): Promise<void> {
  // @ts-expect-error a table has a name
  await client.getTable({});
  // @ts-expect-error an amount is a number
  await client.creditPlayer({ player: 'alice', body: { amount: '5' } });
  // @ts-expect-error a bet comes with its commitment
  await client.placeBet({ table: 'joy-1', body: { round_no: 0, bets: [] } });
  // @ts-expect-error lines are read as JSON
  client.eachRound({ format: 'csv' });
  // @ts-expect-error there is no such choice
  const action: Action = 'cheat';
  // @ts-expect-error there is no such code
  const is = (error: ProblemError): boolean => error.code === 'bad_luck';
  // @ts-expect-error a client has addresses
  console.log(new Client({}), action, is);
}
