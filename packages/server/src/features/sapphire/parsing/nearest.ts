/** Questions near to one that was not understood, offered as choices. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { allOf, topOf } from './frames.ts';
import type { Lexicon } from './lexicon.ts';
import { isRestricting } from './likeness.ts';
import type { Doubt } from './names.ts';
import type { Parsed } from './parsed.ts';
import { hasContent } from './parts.ts';
import type { Reading } from './readings.ts';
import type { Segment } from './segments.ts';

/** Adds a clarification if the question is one with a similar name in place of the unknown. */
export function withDoubts(
  text: string,
  doubts: readonly Doubt[],
  left: readonly string[],
  parse: (text: string) => Parsed,
): Partial<Parsed> {
  const open = doubts.filter((doubt) =>
    doubt.text
      .toLowerCase()
      .split(' ')
      .some((word) => left.some((each) => each.toLowerCase().includes(word))),
  );
  const [doubt] = open;
  if (!doubt) return {};
  const replaced = (question: string, doubt: Doubt, name: string) => {
    const [first = ''] = name.split(' ');
    return question
      .replace(doubt.text, name)
      .replace(new RegExp(`\\b${first.replace(/[^\p{L}]/gu, '')} (?=${first.replace(/[^\p{L}]/gu, '')} )`, 'iu'), '')
      .slice(0, 200);
  };
  const others = left.filter((word) => !open.some((doubt) => doubt.text.toLowerCase().includes(word.toLowerCase())));
  const whole = open.slice(1).reduce((question, each) => replaced(question, each, each.names[0]!), text);
  const choices = doubt.names.map((name) => replaced(whole, doubt, name));
  if (others.length === 0) return { clarify: { phrase: doubt.text, choices, queries: [] } };
  const again = choices.slice(0, maxNamed).map(parse);
  const answered = choices.filter((_, index) => (again[index]?.queries.length ?? 0) > 0);
  if (answered.length > 0) return { clarify: { phrase: doubt.text, choices: answered, queries: [] } };
  const each = Math.ceil(maxChoices / again.length);
  const nearest = again
    .flatMap((parsed) => (parsed.nearest ?? parsed.clarify?.queries ?? []).slice(0, each))
    .slice(0, maxChoices);
  return nearest.length > 0 ? { nearest } : {};
}

/** Maximum removals of words before the question counts as another one. */
const maxRounds = 4;
const maxChoices = 5;
const maxNamed = 3;

/** Readings of the words that are understood, if none that is left narrows the others. */
export function nearestOf(
  segments: readonly Segment[],
  left: readonly string[],
  lexicon: Lexicon,
  read: (segments: readonly Segment[]) => Reading,
): Query[][] {
  const apart = withoutAside(segments, left, read);
  if (apart) return [apart];
  let [remaining, unread] = [segments, left];
  for (let round = 0; round < maxRounds; round++) {
    const without = remaining.filter((segment, index) => !isUnread(segment, remaining[index + 1], unread));
    const dropped = segments.filter((each) => !without.includes(each) && hasContent(each));
    const content = without.filter(hasContent);
    if (without.length === remaining.length || dropped.some(narrows) || dropped.length > 2 * content.length) return [];
    const reading = read(without);
    if (reading.left.length === 0 && reading.queries.length > 0)
      return [
        reading.queries,
        ...reading.alternatives.map((query) => [query]),
        ...mentioning(reading.queries, dropped, lexicon).map((query) => [query]),
      ].slice(0, maxChoices);
    [remaining, unread] = [without, reading.left];
  }
  return [];
}

/**
 * "I've a meeting with Birch at 2, how many open cases do they have": the clause that is understood, with the names of the other, whose words narrow
 * nothing. `left` stands on one side of a comma alone.
 */
function withoutAside(
  segments: readonly Segment[],
  left: readonly string[],
  read: (segments: readonly Segment[]) => Reading,
): Query[][][number] | undefined {
  for (const [at, { items }] of segments.entries()) {
    if (!(items.comma ?? items.break ?? items.colon)) continue;
    const sides = [segments.slice(0, at), segments.slice(at + 1)] as const;
    for (const [aside, main] of [sides, [sides[1], sides[0]] as const]) {
      const isAside =
        aside.some(({ text }) => left.includes(text)) &&
        !aside.some(restricts) &&
        !aside.some(({ items: own }) => own.measure ?? own.who ?? own.which) &&
        main.some(({ items: own }) => own.entity ?? own.value ?? own.verb);
      if (!isAside) continue;
      const names = aside.filter(({ items: own }) => own.value?.isName && !own.value.isGuess);
      // A name beside a negation might be denied by it.
      if (names.length > 0 && main.some(({ items: own }) => own.not ?? own.except)) continue;
      const isOf = (segment: Segment, index: number) =>
        names.length > 0 &&
        (segment.items.reference ?? (segment.items.preposition && main[index + 1]?.items.reference)) !== undefined;
      const reading = read([...main.filter((segment, index) => !isOf(segment, index)), ...names]);
      if (reading.left.length === 0 && reading.queries.length > 0) return reading.queries;
    }
  }
  return undefined;
}

/** The question narrowed by its one unknown word, searched in texts. */
function mentioning(queries: readonly Query[], dropped: readonly Segment[], { schemas }: Lexicon): Query[] {
  const [query, another] = queries;
  const [word, more] = dropped;
  if (!query || another || !word || more || !word.items.unknown || !/^[\w.-]{3,60}$/.test(word.text)) return [];
  if (!schemas[query.entity].attributes.text) return [];
  return [{ ...query, where: allOf([...topOf(query.where), { field: 'text', contains: word.text }])! }];
}

/**
 * Left by its text, or by its meaning: a column, a reference to records before. A word that divides goes with what it would divide by.
 */
function isUnread({ items, text }: Segment, next: Segment | undefined, left: readonly string[]): boolean {
  const isColumn = !items.value && !items.entity && items.attribute?.options.some(({ field }) => left.includes(field));
  const isReference = items.reference !== undefined && !items.that && left.includes('those');
  const dividesNothing = items.group !== undefined && next !== undefined && left.includes(next.text);
  return left.includes(text) || isColumn === true || isReference || dividesNothing;
}

/** A number of an aside ("at 2") narrows nothing of the question beside it. */
const restricts = (segment: Segment): boolean =>
  narrows(segment) && !(segment.items.number && !(segment.items.not ?? segment.items.except ?? segment.items.compare));
const narrows = ({ items, text }: Segment): boolean =>
  (items.unknown !== undefined && isRestricting(text.toLowerCase())) ||
  Boolean(
    items.not ?? items.except ?? items.only ?? items.compare ?? items.number ?? items.between ?? items.time ?? items.versus,
  );
