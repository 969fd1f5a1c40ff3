/** Test of stored events against a search. Time is linear in the event’s size for each condition; nothing backtracks. */
import { foldCase, isAny, isWhole, type Kql, type Pattern } from './ast.ts';
import { leavesOf, type SearchedEvent, valuesOf } from './fields.ts';
import { comparing, inNetwork, numberOf } from './values.ts';

type Test = (event: SearchedEvent) => boolean;

/** Compiles a search once for many events. */
export function matcher(ast: Kql): Test {
  if (ast.kind === 'and' || ast.kind === 'or') {
    const tests = ast.parts.map(matcher);
    return ast.kind === 'and' ? (event) => tests.every((test) => test(event)) : (event) => tests.some((test) => test(event));
  }
  if (ast.kind === 'not') {
    const test = matcher(ast.part);
    return (event) => !test(event);
  }
  if (ast.kind === 'text') {
    const fits = wordTest(ast.text);
    return (event) => leavesOf(event, fits);
  }
  if (ast.kind === 'range') return fieldTest(ast.field, comparing(ast.comparison, ast.bound));
  return fieldTest(
    ast.field,
    isAny(ast.value) ? () => true : valueTest(ast.value),
    isProse(ast.field) ? wordTest(ast.value) : undefined,
  );
}

const fieldTest =
  (field: Pattern, fits: (value: unknown) => boolean, also?: (value: unknown) => boolean): Test =>
  (event) =>
    valuesOf(event, field, (value) => fits(value) || also?.(value) === true);

/** Fields of prose, in which a condition matches words as well as the whole value. */
const textFields = new Set(['message', 'error.message', 'event.original', 'event.reason', 'error.stack_trace']);
export const isProse = (field: Pattern) => field.length === 1 && textFields.has(foldCase(field[0] ?? ''));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(value));

/** The whole value, ignoring case; the same number; an address within the network. */
function valueTest(pattern: Pattern): (value: unknown) => boolean {
  const [only = ''] = pattern;
  const pieces = pattern.map(foldCase);
  if (pieces.length > 1) return (value) => isWhole(foldCase(textOf(value)), pieces);
  const [whole] = pieces;
  const number = numberOf(only);
  const isInside = inNetwork(only);
  return (value) =>
    (typeof value === 'number' && value === number) || foldCase(textOf(value)) === whole || isInside?.(value) === true;
}

const wordCharacter = /[\p{L}\p{N}]/u;
const isWordAt = (text: string, at: number) => {
  const code = text.codePointAt(at);
  return code !== undefined && wordCharacter.test(String.fromCodePoint(code));
};
const isWordBefore = (text: string, at: number) => {
  if (at === 0) return false;
  const isPair = at > 1 && /[\udc00-\udfff]/.test(text[at - 1] ?? '') && /[\ud800-\udbff]/.test(text[at - 2] ?? '');
  return isWordAt(text, at - (isPair ? 2 : 1));
};

/** End of the word at a place, or of the text. Places in between are no ends of words, so that repeated letters are read once. */
function endOfWord(text: string, from: number): number {
  const other = /[^\p{L}\p{N}]/gu;
  other.lastIndex = from;
  return other.exec(text)?.index ?? text.length;
}

/** Text within a value that begins and ends where words do; a wildcard at an end lifts that. */
function wordTest(pattern: Pattern): (value: unknown) => boolean {
  const pieces = pattern.map(foldCase);
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  const isBoundStart = first !== '' && isWordAt(first, 0);
  const isBoundEnd = last !== '' && isWordBefore(last, last.length);
  const isStart = (text: string, at: number) => !isBoundStart || !isWordBefore(text, at);
  const isEnd = (text: string, end: number) => !isBoundEnd || !isWordAt(text, end);
  const nextStart = (text: string, at: number) => text.indexOf(first, isBoundStart ? endOfWord(text, at) : at + 1);
  const nextEnd = (text: string, end: number) => text.indexOf(last, endOfWord(text, end) - last.length);
  return (value) => {
    const text = foldCase(textOf(value));
    let at = text.indexOf(first);
    while (at >= 0 && !(isStart(text, at) && (pieces.length > 1 || isEnd(text, at + first.length)))) at = nextStart(text, at);
    if (at < 0 || pieces.length === 1) return at >= 0;
    let from = at + first.length;
    for (const piece of pieces.slice(1, -1)) {
      const found = text.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    let found = text.indexOf(last, from);
    while (found >= 0 && !isEnd(text, found + last.length)) found = nextEnd(text, found + last.length);
    return found >= 0;
  };
}
