// Changes of one value in an entry or a state, for programs that try all of them.
'use strict';

/** The leaves of a value, `[path, value]`. */
function leaves(value, at = [], found = []) {
  if (value === null || typeof value !== 'object') found.push([at, value]);
  else Object.keys(value).forEach(key => leaves(value[key], [...at, key], found));
  return found;
}

/** The paths of the lists in a value that are not empty. */
function lists(value, at = [], found = []) {
  if (Array.isArray(value) && value.length) found.push(at);
  if (value !== null && typeof value === 'object')
    Object.keys(value).forEach(key => lists(value[key], [...at, key], found));
  return found;
}

const WORDS = {
  alice: 'bob', bob: 'alice', ann: 'cat', cat: 'ann', p0: 'p1', p1: 'p0', nobody: 'level', level: 'house',
  house: 'players', players: 'house', hit: 'stand', stand: 'hit', reserve: 'commit', commit: 'cancel', cancel: 'pay',
  pay: 'reserve', accepted: 'refused', refused: 'accepted', deposit: 'loss', loss: 'play_time',
  play_time: 'deposit', day: 'week', week: 'month', month: 'day',
};

const isCard = value => /^[A23456789TJQK][cdhs]$/.test(value);

/** Another value of the same kind, or null. */
function another(value) {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return null;
  if (isCard(value)) return value[0] + (value[1] === 'c' ? 'd' : 'c');
  if (/^[0-9a-f]{32,}$/.test(value)) return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
  return Object.hasOwn(WORDS, value) ? WORDS[value] : null;
}

const inside = (value, at) => at.reduce((inner, key) => inner[key], value);
const put = (object, at, value) => { inside(object, at.slice(0, -1))[at[at.length - 1]] = value; };
const starred = at => at.map(key => (/^\d+$/.test(key) ? '*' : key)).join('.');

/** The fields with one that `other` has, where it stands there. */
const withField = (own, other, field) => {
  const names = [...Object.keys(other).filter(name => name in own || name === field),
    ...Object.keys(own).filter(name => !(name in other))];
  return Object.fromEntries(names.map(name => [name, name === field ? other[name] : own[name]]));
};
const turnedRound = fields => Object.fromEntries(Object.entries(fields).reverse());

module.exports = { isCard, withField, turnedRound, leaves, lists, another, put, inside, starred };
