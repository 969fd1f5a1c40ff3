/** Words put into understood questions: each changes the query or is refused, and none is dropped. */
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterLine, names, outcome, read } from '../../../../test/parse.samples.ts';
import { tokensOf } from './tokens.ts';

const questions = [
  'how many critical alerts last month',
  'alerts at birch this week',
  'alerts on ALD-SQL-01 since monday',
  'medium or higher alerts today',
  'alerts per day this month',
  'alerts of jhearst last month',
  'compare alerts of birch and cedar last month',
  'alerts this month vs last month',
  'did we have critical alerts at dogwood yesterday',
  'alerts between 22:00 and 6:00 last week',
  'what percentage of alerts last month were high',
  'open cases',
  'open cases at cedar older than 3 days',
  'the 3 oldest open cases',
  'how many cases were closed last week',
  'cases closed by priya raman last month',
  'cases by severity',
  'unassigned cases',
  'average time to close of cases last month',
  'what percentage of cases were closed last month',
  'which client has the most open cases',
  'which device has the most alerts this month',
  'devices without an agent',
  'devices of birch dental group',
  'silent devices',
  'isolated devices',
  'devices with more than 5 alerts last month',
  'clients with no alerts last week',
  'users with more than 3 alerts this week',
  'users who signed in yesterday',
  'vulnerabilities on CED-DC-01',
  'known exploited vulnerabilities at alder',
  'critical vulnerabilities per client',
  'which rules fired last week',
  'top 5 rules this month',
  'techniques seen last month',
  'responses requested last week',
  'pending responses',
  'offline agents',
  'agents at birch',
  'disabled accounts',
  'rejected events last week',
  'audit entries of tom okafor last week',
  'emails sent last month',
  'risk score of birch',
];
const inserted = [
  'not',
  'except birch',
  'without low ones',
  'only critical',
  'excluding elm logistics',
  'on weekends',
  'on mondays',
  'before 8am',
  'before last',
  'more than',
  'at least 3',
  'the oldest',
  'combined with cedar',
  '%',
];

/** Insertions without a new condition: a condition that the question has, and a comparison of two sides of which the answer shows both. */
const isMeaningless = (words: string, question: string): boolean =>
  (words === 'only critical' && /critical/.test(question)) ||
  (words === 'combined with cedar' && /cedar/.test(question)) ||
  (words === 'the oldest' && /oldest/.test(question)) ||
  (words === '%' && /percentage/.test(question)) ||
  (words === 'more than' && /compare|vs/.test(question));

/** Without labels: the same records in the same form. */
const meaning = (queries: readonly Query[]): string =>
  JSON.stringify(queries, (key, value: unknown) => (key === 'label' ? undefined : value));

const placesIn = (question: string, words: string): string[] => {
  const all = question.split(' ');
  return Array.from({ length: all.length + 1 }, (_, at) => [...all.slice(0, at), words, ...all.slice(at)].join(' '));
};

describe('a question with words put into it', () => {
  test.each(questions)('is another question or refused: %s', (question) => {
    const { queries } = read(question);
    expect(queries.length, outcome(read(question))).toBeGreaterThan(0);
    const before = meaning(queries);
    const unchanged = inserted
      .filter((words) => !isMeaningless(words, question))
      .flatMap((words) => placesIn(question, words))
      .filter((text) => meaning(read(text).queries) === before);
    expect(unchanged).toEqual([]);
  });

  test.each(questions)('reports an unknown word: %s', (question) => {
    const lost = placesIn(question, 'grumbly').filter((text) => !read(text).left.includes('grumbly'));
    expect(lost).toEqual([]);
  });

  test('reports any unknown word', () => {
    const word = fc
      .array(fc.constantFrom('z', 'q', 'x', 'v', 'j', 'u'), { minLength: 8, maxLength: 14 })
      .map((letters) => letters.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...questions), word, fc.nat(), (question, unknown, at) => {
        const places = placesIn(question, unknown);
        const { left, queries } = read(places[at % places.length]!);
        expect(queries).toEqual([]);
        expect(left).toContain(unknown);
      }),
      { numRuns: 500 },
    );
  }, 90_000);
});

const topOf = (where: QueryFilter | undefined): QueryFilter[] =>
  where === undefined ? [] : 'and' in where ? where.and : [where];

describe('a condition at the end of a question', () => {
  const conditions: [words: string, filter: string][] = [
    ['except birch', '!client=Birch'],
    ['excluding elm logistics', '!client=Elm'],
    ['without low ones', '!severity=low'],
    ['not high', '!severity=high'],
    ['only medium', 'severity=medium'],
    ['on weekends', 'isWeekend'],
    ['on mondays', 'weekday=1'],
    ['before 8am', 'hour=0|1|2|3|4|5|6|7'],
  ];
  const plain = [
    'alerts last week',
    'how many alerts yesterday',
    'alerts per device last month',
    'alerts of jhearst this month',
    'open cases',
  ];

  test.each(conditions)('is added to the filters: %s', (words, filter) => {
    for (const question of plain) {
      const [before] = read(question).queries;
      const [after] = read(`${question} ${words}`).queries;
      expect(topOf(after?.where).map(filterLine), `${question} ${words}`).toEqual([
        ...topOf(before?.where).map(filterLine),
        filter,
      ]);
      expect({ ...after, where: undefined }).toEqual({ ...before, where: undefined });
    }
  });

  test('excludes together with others', () => {
    let understood = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...plain),
        fc.shuffledSubarray(conditions.slice(1), { minLength: 2, maxLength: 3 }),
        (question, several) => {
          const fields = several.map(([, filter]) => filter.replace(/^!/, '').split('=')[0]);
          fc.pre(new Set(fields).size === fields.length);
          const text = `${question} ${several.map(([words]) => words).join(' ')}`;
          const [after] = read(text).queries;
          const lines = topOf(after?.where).map(filterLine);
          if (after) understood++;
          for (const [, filter] of several) if (after) expect(lines.join(' & '), text).toContain(filter);
        },
      ),
      { numRuns: 300 },
    );
    // Most of them, or the test would pass with refusals alone.
    expect(understood).toBeGreaterThan(150);
  });
});

describe('a misspelt name', () => {
  const proper = [...names.clients.map(({ name }) => name.split(' ')[0]!), ...names.devices, ...names.users].map((name) =>
    name.toLowerCase(),
  );

  test('stays unknown or leads to a question', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...proper),
        fc.nat(),
        fc.constantFrom('drop', 'swap', 'double', 'replace'),
        (name, place, kind) => {
          const at = 1 + (place % (name.length - 2));
          const [head, letter, next, tail] = [name.slice(0, at), name[at]!, name[at + 1]!, name.slice(at + 2)];
          const misspelt = {
            drop: head + next + tail,
            swap: head + next + letter + tail,
            double: head + letter + letter + next + tail,
            replace: `${head}q${next}${tail}`,
          }[kind];
          // "Em" is a pronoun.
          fc.pre(!proper.includes(misspelt) && misspelt !== 'em' && tokensOf(misspelt).length === 1);
          for (const question of [`alerts at ${misspelt} last week`, `how many alerts on ${misspelt} today`])
            expect(outcome(read(question)), question).toMatch(/^(?:left|clarify)/);
        },
      ),
      { numRuns: 250 },
    );
  }, 120_000);
});
