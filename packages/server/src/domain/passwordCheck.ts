/**
 * Rules for new passwords (spec §5): complex, and neither made of common words or the names of product and brands with digits and signs
 * between them, nor on a list of common and breached passwords.
 */
import { readFile, stat } from 'node:fs/promises';
import { isComplex, tooCommonText } from '@parapet/contract/rules/password.ts';

/** Stands beside the texts of spec §5. */

const maxFileBytes = 32 * 1024 * 1024;
/** Shorter remainders are on no list. */
const shortestRoot = 4;

/** Base words of common passwords. A capital, digits and a sign add complexity, but make none of them hard to guess. */
const commonWords = (
  'password passwort passphrase pass passwd pwd secret geheim login logon signin user username admin administrator root sysadmin guest test ' +
  'testing tester demo default changeme change letmein welcome willkommen hello hallo access temp temporary company business office security ' +
  'secure portal system server service support helpdesk network internet computer master manager monitor windows microsoft google apple ' +
  'samsung android linux cisco oracle azure amazon facebook instagram dragon monkey shadow sunshine princess football baseball soccer hockey ' +
  'basketball superman batman spiderman starwars pokemon iloveyou loveyou love lovely trustno whatever freedom flower cookie cheese banana ' +
  'orange summer winter spring autumn fall sommer herbst january february march april may june july august september october november ' +
  'december monday tuesday wednesday thursday friday saturday sunday michael jordan jessica ashley daniel charlie thomas george robert ' +
  'london berlin paris newyork chicago boston dallas denver america england qwerty qwertz azerty qwertyuiop asdfghjkl asdfgh asdf zxcvbnm ' +
  'zxcvbn qazwsx qwer wasd abcdefghijkl abcdefgh abcdef abcde abcd abc xyz aaaa xxxx my the your our this is and for you i it'
).split(' ');

/** Letters as they are disguised. */
const disguises: Record<string, string> = {
  a: '4@',
  b: '8',
  e: '3',
  g: '9',
  i: '1!|',
  l: '1|!',
  o: '0',
  s: '5$',
  t: '7+',
  z: '2',
};

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
/** 1, ! and | stand for i and for l: one reading each. */
const readings = [Object.entries(disguises), Object.entries(disguises).reverse()].map(
  (entries) => new Map(entries.flatMap(([letter, signs]) => [...signs].map((sign) => [sign, letter]))),
);
const undisguised = (text: string) => readings.map((letters) => [...text].map((sign) => letters.get(sign) ?? sign).join(''));

/** The password as it is, and without what complexity adds: digits and signs at its ends, between its words, in place of letters. */
function rootsOf(password: string): string[] {
  const text = folded(password);
  const bare = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const letters = text.replace(/[^\p{L}]/gu, '');
  return [text, bare, letters, ...undisguised(text), ...undisguised(bare)].filter((root) => root.length >= shortestRoot);
}

/** True for a password of common words and `names` with digits and signs between them. */
function isMadeOfWords(password: string, names: readonly string[]): boolean {
  const fromNames = ['parapet', ...names].flatMap((name) => {
    const parts = folded(name).split(/[^\p{L}]+/u);
    return [...parts, parts.join('')];
  });
  const words = [...new Set([...fromNames.filter((word) => word.length > 2), ...commonWords])];
  const text = [...folded(password)];
  const isAt = (word: string, at: number) =>
    [...word].every((letter, i) => {
      const found = text[at + i];
      return found !== undefined && (found === letter || (disguises[letter]?.includes(found) ?? false));
    });
  // Positions reachable by words and non-letters; the password is common when its end is reachable.
  const reached = [true];
  for (let at = 0; at < text.length; at++) {
    if (!reached[at]) continue;
    if (!/\p{L}/u.test(text[at] as string)) reached[at + 1] = true;
    for (const word of words) if (isAt(word, at)) reached[at + [...word].length] = true;
  }
  return reached[text.length] === true;
}

async function listOf(file: string): Promise<Set<string>> {
  const { size } = await stat(file);
  if (size > maxFileBytes) throw new Error(`${file} has more than 32 MiB. Keep the passwords that are used most.`);
  return new Set((await readFile(file, 'utf8')).split('\n').map((line) => folded(line.trim())));
}

/** The list of the package: 49,000 passwords, 40 ms and 18 MB with the first check. */
async function ownList(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

export type PasswordCheck = Awaited<ReturnType<typeof createPasswordCheck>>;

/** `file`: one password a line, in place of the own list; read at once, so that a fault stops the start. */
export async function createPasswordCheck(file: string | undefined) {
  let list = file === undefined ? undefined : await listOf(file);
  /** Returns why the password is rejected; undefined when it is accepted. */
  return async (password: string, names: readonly string[]): Promise<'simple' | 'common' | undefined> => {
    if (!isComplex(password)) return 'simple';
    if (isMadeOfWords(password, names)) return 'common';
    list ??= await ownList();
    return rootsOf(password).some((root) => list?.has(root)) ? 'common' : undefined;
  };
}

/** The texts at a password's field: that of spec §5, and the hint beside it. */
export const passwordFaultTexts = (fault: 'simple' | 'common', text: string): string[] =>
  fault === 'common' ? [text, tooCommonText] : [text];
