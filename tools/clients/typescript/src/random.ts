// What must not be guessed, of the platform's randomness.

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('');

/** A player's seed: 32 bytes, in hexadecimal digits. */
export const freshSeed = (): string => randomHex(32);

/** A name of a request that the contract repeats by `Idempotency-Key`. */
export const freshKey = (): string => randomHex(16);
