/** Usual questions keep what a question wants of them: its order by time, its limit and its negation. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import { schemas } from '../../../domain/query/schemas.ts';
import type { Segment } from './segments.ts';
import { keepsQuestion, usualQuestionsOf, usualWith } from './usual.ts';
import { type Carried, type Wished, unwished as wished, wishedBy } from './wishes.ts';

const carried: Carried = { filters: [], words: [], weight: 0, isDenied: false, isPast: false };
const all = (Object.keys(schemas) as QueryEntity[]).flatMap((entity) => usualQuestionsOf(entity, schemas));

test('orders by time, in the direction and with the limit of the question, or is not offered', () => {
  const latest: Wished = { ...wished, isByTime: true, isMost: true, limit: 3 };
  const offered = all
    .filter((usual) => keepsQuestion(usual, schemas[usual.query.entity], latest, carried))
    .flatMap((usual) => usualWith(usual, carried, latest, schemas, false) ?? []);
  expect(offered.length).toBeGreaterThan(50);
  const lost = offered.filter(
    ({ entity, orderBy, groupBy, limit }) =>
      groupBy || orderBy?.field !== schemas[entity].time || orderBy?.isAscending || limit !== 3,
  );
  expect(lost).toEqual([]);
});

test('holds a negation by what is not, not by what is bad', () => {
  const denied = all
    .filter((usual) => keepsQuestion(usual, schemas[usual.query.entity], wished, { ...carried, isDenied: true }))
    .map(({ words }) => words.join(' '));
  expect(denied).toEqual(
    expect.arrayContaining(['unprocessed events', 'unused tags', 'unscanned devices', 'devices without alerts']),
  );
  expect(denied.filter((words) => /breached|failed|expired|silent/.test(words) && !/\b(?:not|without|no)\b/.test(words))).toEqual(
    [],
  );
});

test('has no bound that is denied earlier in its clause', () => {
  const segment = (text: string, items: object) => ({ text, items, isPlural: false }) as unknown as Segment;
  const bound = [
    segment('over', { compare: { comparison: '>' } }),
    segment('5', { number: { value: 5 } }),
    segment('gruesome', { unknown: {} }),
  ];
  const [not, except, have] = [
    segment('didn’t', { not: {} }),
    segment('except', { except: {} }),
    segment('have', { unknown: {} }),
  ];
  const birch = segment('Birch', { value: { isName: true, options: [] } });
  const wishes = (...before: Segment[]) => wishedBy([...before, ...bound])?.bound?.value;
  expect([wishes(not), wishes(not, have), wishes(except, have), wishes(not, birch)]).toEqual(Array(4).fill(undefined));
  expect([wishes(have), wishes(except, birch), wishes(not, have, segment(',', { comma: {} }))]).toEqual([5, 5, 5]);
});
