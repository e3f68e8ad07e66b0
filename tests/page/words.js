// The page's texts, all files of a language together, in the tests' form.
import fs from 'node:fs';
import path from 'node:path';
import { WEB } from './harness.js';

/** The files of a language: `[part, path]`, with an empty part for the shell's. */
export const filesOf = language => fs.readdirSync(WEB).flatMap(name => {
  const found = new RegExp(`^words-${language}(?:-([a-z]+))?\\.js$`).exec(name);
  return found ? [[found[1] ?? '', path.join(WEB, name)]] : [];
});

const read = async language => Object.fromEntries(await Promise.all(filesOf(language).map(async ([part, file]) => (
  [part, (await import(file)).words]))));

/** The texts by part. */
export const PARTS = { en: await read('en'), ja: await read('ja') };
export const en = Object.assign({}, ...Object.values(PARTS.en));
export const ja = Object.assign({}, ...Object.values(PARTS.ja));
