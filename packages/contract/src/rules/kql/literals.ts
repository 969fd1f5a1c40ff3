/**
 * Texts that every match contains, to rule out stored events without parsing them.
 *
 * Guarantee: an event that matches has each of `substrings` in its serialised text, device name, user name and document, once `A` to `Z` are lower
 * case, and each of `tokens` as a whole run of ASCII letters and digits (lower case) of one value. Serialised is any JSON that writes numbers as
 * `JSON.stringify` and leaves printable ASCII other than `" \ / < > & ' +` unescaped. Tokens are of the values, before serialising: escapes such as
 * `\n` add letters. Empty lists rule out nothing.
 */
import { foldCase, isAny, type Kql, type Pattern } from './ast.ts';
import { isUnwritten } from './fields.ts';
import { inNetwork, numberOf } from './values.ts';

export interface Literals {
  /** Longest first. */
  substrings: string[];
  tokens: string[];
}

const none: Literals = { substrings: [], tokens: [] };

export function literals(ast: Kql): Literals {
  if (ast.kind === 'and') return combine(ast.parts.map(literals));
  if (ast.kind === 'or') return shared(ast.parts.map(literals));
  if (ast.kind === 'text') return literalsOf(ast.text);
  if (ast.kind === 'field' && !isUnwritten(ast.field) && isWritten(ast.value)) return literalsOf(ast.value);
  return none;
}

/** False for a value that also matches texts unlike it: any, another spelling of a number, an address within a network. */
function isWritten(value: Pattern): boolean {
  const [only = ''] = value;
  if (value.length > 1) return !isAny(value);
  const number = numberOf(only);
  return number === undefined ? inNetwork(only) === undefined : String(number) === only;
}

function literalsOf(pattern: Pattern): Literals {
  const pieces = pattern.map(foldCase);
  return {
    substrings: longestFirst(pieces.flatMap((piece) => piece.match(/[ !#$%()*,\-.:;=?@[\]^_`{|}~\da-z]{2,}/g) ?? [])),
    tokens: unique(pieces.flatMap((piece, index) => tokensOf(piece, index > 0, index < pieces.length - 1))),
  };
}

/** Whole runs; one that touches a wildcard may be part of a longer one. */
const tokensOf = (piece: string, isOpenLeft: boolean, isOpenRight: boolean) =>
  [...piece.matchAll(/[\da-z]+/g)]
    .filter(({ 0: run, index }) => !(isOpenLeft && index === 0) && !(isOpenRight && index + run.length === piece.length))
    .map(([run]) => run);

const unique = (texts: readonly string[]) => [...new Set(texts)];
const longestFirst = (texts: readonly string[]) => unique(texts).sort((a, b) => b.length - a.length);

const combine = (all: readonly Literals[]): Literals => ({
  substrings: longestFirst(all.flatMap(({ substrings }) => substrings)),
  tokens: unique(all.flatMap(({ tokens }) => tokens)),
});

/** Those of the first alternative that every other has too. */
const shared = ([first = none, ...others]: readonly Literals[]): Literals => ({
  substrings: first.substrings.filter((text) =>
    others.every(({ substrings }) => substrings.some((other) => other.includes(text))),
  ),
  tokens: first.tokens.filter((token) => others.every(({ tokens }) => tokens.includes(token))),
});
