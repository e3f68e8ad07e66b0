// Commands and events by their words. The tables are those of spec/words.md, made by words.js in build.js.

const oneField = value => isObject(value) && Object.keys(value).length === 1;
/** Of each word of a table what its fields are. */
const formsOf = table => Object.fromEntries(Object.entries(table).map(([word, fields]) => [word, fieldsOf(fields)]));
/** An object of one property, a word of these. */
const oneOfForms = forms => value => {
  const [[word, inner]] = oneField(value) ? Object.entries(value) : [[]];
  return word !== undefined && Object.hasOwn(forms, word) && forms[word](inner);
};
const commandForm = { ...formsOf(COMMANDS), tournament: oneOfForms(formsOf(TOURNAMENT_COMMANDS)) };
const isPlay = oneOfForms({ ...formsOf(PLAY_EVENTS), poker: isPokerEvent, safe: oneOfForms(formsOf(SAFE_EVENTS)) });
const isEvent =
  oneOfForms({ ...formsOf(EVENTS), play: isPlay, tournament: oneOfForms(formsOf(TOURNAMENT_EVENTS)) });
