/** Syntax tree of an event search in Kibana’s query language; docs/event-search.md defines its meaning. No zod, because the web imports it. */

/** Limits of a search: characters, conditions, and levels of parentheses and negations. */
export const kqlLimits = { length: 4_000, conditions: 500, depth: 50 } as const;

/** Place in the text, in UTF-16 units. */
export interface Span {
  at: number;
  length: number;
}

/** Text between the wildcards, at least one piece: `a*b` is `['a', 'b']`, `*` is `['', '']`; only the first and the last may be empty. */
export type Pattern = readonly string[];

export const comparisons = ['>=', '<=', '>', '<'] as const;
export type Comparison = (typeof comparisons)[number];

/** `text`: words in any value. `and` and `or` have at least two parts, none of their own kind. */
export type KqlNode =
  | { kind: 'and'; parts: readonly Kql[] }
  | { kind: 'or'; parts: readonly Kql[] }
  | { kind: 'not'; part: Kql }
  | { kind: 'text'; text: Pattern }
  | { kind: 'field'; field: Pattern; value: Pattern }
  | { kind: 'range'; field: Pattern; comparison: Comparison; bound: string };
export type Kql = KqlNode & Span;

/** `at` and `length` mark the rejected text; an error at the end has length 0. */
export interface KqlError extends Span {
  message: string;
}

export type Parsed = { ok: true; ast: Kql | undefined } | { ok: false; error: KqlError };

/** True for `*` alone: any value. */
export const isAny = (pattern: Pattern): boolean => pattern.length > 1 && pattern.every((piece) => piece === '');

/** The conditions joined by AND at the top, to count each alone where a search finds nothing. */
export const clauses = (ast: Kql): readonly Kql[] => (ast.kind === 'and' ? ast.parts : [ast]);

/**
 * Folds a text for case-insensitive comparison. Letters outside ASCII never become ASCII (the Kelvin sign and the dotted capital I stay), so that
 * ASCII parts of a search can be looked up in bytes.
 */
export function foldCase(text: string): string {
  const low = /[\u0130\u212a]/.test(text) ? text.replace(/[^\u0130\u212a]+/g, (part) => part.toLowerCase()) : text.toLowerCase();
  return low.includes('ς') ? low.replaceAll('ς', 'σ') : low;
}

/** True if a pattern covers a whole text, both folded. Linear: the leftmost place of each piece is always right. */
export function isWhole(text: string, pieces: Pattern): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= text.length - last.length;
}
