// Chips as people read them. Amounts stay whole numbers: nothing here is computed in fractions, or read back.
import { InvalidInput } from './errors.js';
import type { LogInfo } from './generated/contract.js';

/** What the house's chips stand for: `currency` of `getLog`. */
export type Currency = NonNullable<LogInfo['currency']>;

const MOST_DECIMALS = 8;

/**
 * An amount in the house's currency, exactly: 1250 of `{code: 'EUR', decimals: 2}` is `12.50 EUR`. Without a currency
 * (the house says nothing) chips are whole numbers.
 */
export function formatChips(chips: number, currency?: Currency | null): string {
  if (!Number.isSafeInteger(chips)) throw new InvalidInput(`an amount is a whole number; got ${String(chips)}`);
  const digits = String(Math.abs(chips)),
    sign = chips < 0 ? '-' : '';
  if (!currency) return sign + digits;
  const { code, decimals } = currency;
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS || !/^[A-Z0-9]{2,8}$/.test(code))
    throw new InvalidInput('a currency has a code of 2 to 8 of A-Z 0-9 and 0 to 8 decimals');
  const padded = digits.padStart(decimals + 1, '0');
  const at = padded.length - decimals;
  return `${sign}${padded.slice(0, at)}${decimals ? `.${padded.slice(at)}` : ''} ${code}`;
}
