/**
 * Texts by which stored events are ruled out before their documents are read: parts of the candidate index's clauses that stand in the JSON text of
 * every event that matches, in any layout and whatever its values are (texts, numbers, lists, objects, joined ones).
 */
import type { SigmaRule } from './ast.ts';
import { type Form, places } from './fields.ts';
import type { RequiredLiteral } from './literals.ts';
import { type Clause, chances, clausesOf } from './prefilter.ts';
import type { Shape } from './source.ts';
import { composedOf } from './virtual.ts';

export interface StoredText {
  /** Printable ASCII that JSON leaves as it is, in lower case. */
  text: string;
  /** Bits of the clauses that it belongs to. */
  clauses: number;
}

/** Of rules of which one is to match. */
export interface StoredTexts {
  texts: StoredText[];
  /** Bits of clauses: an event that matches has a text of each clause of one of these. */
  wanted: number[];
  /** Last names of the fields in whose values, with the names within them, the texts stand, behind the last dot; undefined: anywhere. */
  names: ReadonlySet<string> | undefined;
  /** A text stands for a number, which a value may write in another way (`4625.0`, `4.625e3`). */
  hasNumbers: boolean;
}

/** Clauses with a bit of their own. */
const maxClauses = 31;
const minLength = 3;
/**
 * Runs of characters that stand together in JSON text: without those that it escapes, structures of objects, white space (which joins arguments),
 * and separators at which stored values are taken apart (docs/decisions/0143-rules-over-stored-blocks.md).
 */
const runs = /[!#$%&'()*+\-.;<>?@^_`|~\da-z]+/g;
/** The JSON of an object has the escapes of line breaks and tabs, at which values are taken apart; their letters may begin a text. */
const escapeLetter = /^[nt]/;
/** Parts of ids and times, which are stored as numbers. A longer run of digits is part of no id. */
const isOfIdOrTime = (text: string): boolean => (/^[\da-f-]+$/.test(text) ? !/[\da-f]{13}/.test(text) : /^[\d.tz-]+$/.test(text));
/** Length of a time; ids are longer. An equal value that is shorter is neither. */
const minOwn = 24;

/** Undefined if a rule can match without such texts. */
export function storedTexts(rules: readonly SigmaRule[]): StoredTexts | undefined {
  const own = [...rules];
  const likely = chances(own);
  const chance = (witness: RequiredLiteral) => (textOf(witness) === undefined ? Number.POSITIVE_INFINITY : likely(witness));
  const byRule: Clause[][] = [];
  for (const rule of own) {
    const clauses = clausesOf(rule, chance);
    // An empty clause: the rule never matches.
    if (clauses.some((clause) => clause.length === 0)) continue;
    const usable = clauses.filter((clause) => clause.every((witness) => textOf(witness) !== undefined));
    if (usable.length === 0) return undefined;
    byRule.push(usable);
  }
  const isApart = byRule.reduce((sum, { length }) => sum + length, 0) <= maxClauses;
  const texts = new Map<string, StoredText>();
  const wanted: number[] = [];
  let next = 0;
  for (const clauses of byRule) {
    let all = 0;
    for (const clause of isApart ? clauses : clauses.slice(0, 1)) {
      const bit = isApart ? 1 << next++ : 1;
      all |= bit;
      for (const witness of clause) enter(texts, witness, bit);
    }
    wanted.push(all);
  }
  return {
    texts: [...texts.values()],
    wanted: [...new Set(wanted)],
    names: namesOf(byRule.flat(2)),
    hasNumbers: byRule.flat(2).some(({ isNumber }) => isNumber),
  };
}

function enter(texts: Map<string, StoredText>, witness: RequiredLiteral, bit: number): void {
  const text = textOf(witness)!;
  const known = texts.get(text);
  if (known) known.clauses |= bit;
  else texts.set(text, { text, clauses: bit });
}

const shapes: readonly Shape[] = ['evtx', 'winlog', 'flat', 'ecs', 'any'];
const forms: readonly Form[] = ['written', 'decoded'];
const behindDot = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Of all locations that the fields have in any layout; undefined for keywords. */
function namesOf(witnesses: readonly RequiredLiteral[]): Set<string> | undefined {
  const fields = new Set(witnesses.map(({ field }) => field));
  // A list of data names its elements by an attribute.
  const names = new Set(['Data']);
  for (const field of fields) {
    if (field === null) return undefined;
    for (const form of forms)
      for (const shape of shapes) for (const { keys } of places(shape, field, form)) names.add(behindDot(keys.at(-1) ?? ''));
    for (const name of composedOf.get(field)?.names ?? []) names.add(name);
  }
  return names;
}

/** The longest part that stands in the event's JSON; undefined for none. */
function textOf({ field, place, text, isNumber }: RequiredLiteral): string | undefined {
  if (place === 'beyond') return undefined;
  // Digits are those of every decimal spelling; of a fraction the zero before the point may be missing.
  if (isNumber) return /^-?\d{3,15}$/.test(text) ? text.replace('-', '') : undefined;
  const isShortValue = place === 'exact' && text.length < minOwn && !text.startsWith('{');
  const added = composedOf.get(field ?? '')?.added ?? [];
  let longest: string | undefined;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const couldBeEscaped = !isShortValue && (index === 0 || text[index - 1] === '\\');
    const part = couldBeEscaped ? run.replace(escapeLetter, '') : run;
    if (part.length < minLength || part.length <= (longest?.length ?? 0)) continue;
    if ((!isShortValue && isOfIdOrTime(part)) || added.some((other) => other.includes(part))) continue;
    longest = part;
  }
  return longest;
}
