/** Doubt of a question that is read whole: another query may be meant. */
import { type Query, queryOwners } from '@parapet/contract/rules/query.ts';
import { isOneQuestion, type Learned } from './assembled.ts';
import { topOf } from './frames.ts';
import type { Lexicon } from './lexicon.ts';
import type { Ranked } from './ranking.ts';
import type { Reading } from './readings.ts';
import type { Segment } from './segments.ts';

/** Probability of a reading below which it is doubted. */
const minShare = 0.7;
/** The same among queries that do not vary the reading alone, of one that takes every word as it stands. */
const minLiteralShare = 0.75;

/** True if another query may be meant. */
export function isDoubtful(
  { queries, alternatives, isGuess }: Reading,
  text: string,
  segments: readonly Segment[],
  learned: Learned,
  ranked: readonly Ranked[],
  lexicon: Lexicon,
): boolean {
  if (alternatives.length > 0 || isGuess || ratio.test(text)) return true;
  if (queries.length > 1) return isOneQuestion(queries, learned, lexicon.schemas);
  // No likely query counts different values, bounds groups, divides by owners or relates two of a kind.
  if (queries.some(({ measure }) => measure.kind === 'count' && measure.distinct !== undefined)) return false;
  if (segments.some(({ items }) => items.versus) && queries.every(isOpposed)) return false;
  const isSaid = segments.some(({ items, text: word }) => items.distinct ?? /^both$/i.test(word));
  if ((isSaid || queries.some(isUnlearnt)) && ranked[0]?.isReading) return false;
  const { share, marks } = ranked.find(({ isReading }) => isReading)!;
  const isLiteral = !(marks['reading rewritten'] || marks['reading shown'] || marks['reading loose']);
  const others = ranked.reduce((sum, each) => (each.isVariant ? sum - each.share : sum), 1);
  return share < minShare && !(isLiteral && share / others >= minLiteralShare);
}

/** "Birch against Cedar": a group for each name. */
const isOpposed = ({ where, groupBy: [group] = [] }: Query): boolean =>
  topOf(where).some((filter) => 'in' in filter && filter.field === group && filter.in.length > 1);

const isUnlearnt = ({ measure, having }: Query): boolean =>
  having !== undefined || (measure.kind === 'count' && queryOwners.some((owner) => owner === measure.per));

/** Of two figures: no share. */
export const ratio = /\bratio of\b.*\bto\b/i;
