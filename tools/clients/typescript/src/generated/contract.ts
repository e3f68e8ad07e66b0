// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// All types of the contract.
export type * from './words.js';
export type * from './entries.js';
export type * from './tournament-entries.js';
export type * from './tournaments.js';
export type * from './rules.js';
export type * from './games.js';
export type * from './records.js';
export type * from './views.js';
