/**
 * Every rule is proved by its pair: what it must find, in the words of a real shipper, and what it must let pass although it differs in
 * one respect only. Beside that, the form that the portal relies on: ids, tags, category, level, a sentence on false positives.
 */
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { lint } from '@parapet/sigma/lint.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { describe, expect, test } from 'vitest';
import { attack, categories, mappings, nist, techniqueOf } from './facts/facts.ts';
import { mutantsOf, spellings } from './testing/mutations.ts';
import {
  compiled,
  type Document,
  documentsOf,
  firedBy,
  type Pair,
  type Sequence,
  sequencesOf,
  startedAt,
} from './testing/pairs.ts';
import { differences, respectOf } from './testing/respects.ts';

const { rules, correlations, faults, matcher } = compiled();
const all: (SigmaRule | Correlation)[] = [...rules, ...correlations];
const named = <T extends { file: string }>(list: readonly T[]): [string, T][] => list.map((rule) => [rule.file, rule]);

const matching = (document: Document) => matcher.match(normalise(structuredClone(document), startedAt).document);

test('every file compiles', () => {
  expect(faults).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(70);
});

test('the linter has no objection', () => {
  const objections = lint({ rules, correlations, faults }).filter(({ severity }) => severity !== 'hint');
  expect(objections.map(({ file, code, text }) => `${file}: ${code}: ${text}`)).toEqual([]);
});

test('no two rules share an id, a title or a name', () => {
  const twice = (values: (string | undefined)[]) =>
    values.filter((value, at) => value !== undefined && values.indexOf(value) !== at);
  expect(twice(all.map(({ id }) => id))).toEqual([]);
  expect(twice(all.map(({ title }) => title))).toEqual([]);
  expect(twice(all.map(({ name }) => name))).toEqual([]);
});

test('every category is used by a rule, the reserved one by rules on what the portal says itself', () => {
  const used = new Set(all.map(({ custom }) => category(custom)));
  expect([...used].sort()).toEqual(categories.map(({ name }) => name));
});

describe.each(named(all))('%s', (_file, rule) => {
  test('has the form that the portal shows', () => {
    expect(rule.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(rule.author).toBe('Parapet');
    expect(rule.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(rule.title.length).toBeLessThanOrEqual(100);
    expect(rule.description).toMatch(/^\S.{40,}\.$/s);
    expect(rule.level).toMatch(/^(informational|low|medium|high|critical)$/);
    expect(rule.falsepositives).toHaveLength(1);
    expect(rule.falsepositives?.[0]).toMatch(/^\S+(?:\s+\S+){7,}\.$/);
    const isOfPortal = 'logsource' in rule && rule.logsource.product === 'portal';
    expect(categories.filter(({ reserved = false }) => reserved === isOfPortal).map(({ name }) => name)).toContain(
      category(rule.custom),
    );
  });

  test('has guidance: a confidence, a reason and three first checks', () => {
    const { confidence, why, check } = guidanceOf(rule.custom);
    expect(confidence).toMatch(/^(low|medium|high)$/);
    expect(why).toMatch(/^\S.{40,}\.$/s);
    expect(check).toHaveLength(3);
    for (const step of check as string[]) expect(step).toMatch(/^[A-Z].{20,}\.$/s);
  });

  test('names tactics and techniques that exist and belong together', () => {
    const tags = (rule.tags ?? []).map((tag) => tag.replace(/^attack\./, ''));
    const techniques = tags.filter((tag) => /^t\d/.test(tag)).map((tag) => techniqueOf(tag.toUpperCase()));
    const tactics = tags.filter((tag) => !/^t\d/.test(tag));
    expect(techniques.length).toBeGreaterThan(0);
    expect(techniques).not.toContain(undefined);
    expect(tactics.length).toBeGreaterThan(0);
    for (const tactic of tactics) expect(techniques.flatMap((technique) => technique!.tactics)).toContain(tactic);
    for (const technique of techniques) expect(tactics.some((tactic) => technique!.tactics.includes(tactic))).toBe(true);
    const pages = techniques.map((technique) => `https://attack.mitre.org/techniques/${technique!.id.replace('.', '/')}/`);
    expect(rule.references?.slice(0, pages.length)).toEqual(pages);
    for (const link of rule.references ?? []) expect(link).toMatch(/^https:\/\/\S+$/);
  });
});

describe.each(named(rules))('%s', (file, rule) => {
  const { matches, misses, evadedBy } = documentsOf(file);

  test('finds what it is meant to find', () => {
    expect(matches.length).toBeGreaterThan(0);
    for (const document of matches) expect(matching(document).map(({ file: found }) => found)).toContain(rule.file);
  });

  test('finds other spellings of the same command', () => {
    expect(Object.keys(evadedBy).filter((spelling) => !spellings.includes(spelling))).toEqual([]);
    const evasions = matches.flatMap((match) =>
      mutantsOf(match)
        .filter(({ document }) => !matching(document).some(({ file: found }) => found === rule.file))
        .map(({ spelling }) => spelling),
    );
    expect([...new Set(evasions)].sort()).toEqual(Object.keys(evadedBy).sort());
  });

  test('lets pass what differs in one respect', () => {
    expect(misses.length).toBeGreaterThan(0);
    for (const miss of misses) {
      expect(matching(miss).map(({ file: found }) => found)).not.toContain(rule.file);
      const nearest = matches.map((match) => differences(match, miss)).filter((paths) => respectOf(paths) !== undefined);
      expect(
        nearest.length,
        `no match is like this miss: ${JSON.stringify(matches.map((match) => differences(match, miss)))}`,
      ).toBeGreaterThan(0);
    }
  });
});

describe.each(named(correlations))('%s', (file, rule) => {
  const pair = sequencesOf(file);

  test('fires on its sequences and on no other', () => {
    const verdicts = (kind: keyof Pair<Sequence>) => pair[kind].map((sequence) => firedBy(sequence, pair).has(rule.id));
    expect(verdicts('matches')).toEqual(pair.matches.map(() => true));
    expect(verdicts('misses')).toEqual(pair.misses.map(() => false));
    expect(pair.matches.length).toBeGreaterThan(0);
    expect(pair.misses.length).toBeGreaterThan(0);
  });
});

describe('the facts', () => {
  test('tactics and techniques hang together', () => {
    expect(attack.tactics).toHaveLength(14);
    const tactics = attack.tactics.map(({ shortname }) => shortname);
    for (const { id, tactics: own } of attack.techniques) {
      expect(own.length, id).toBeGreaterThan(0);
      for (const tactic of own) expect(tactics).toContain(tactic);
      if (id.includes('.')) expect(techniqueOf(id.slice(0, 5)), id).toBeDefined();
    }
    expect(new Set(attack.techniques.map(({ id }) => id)).size).toBe(attack.techniques.length);
  });

  test('mappings name techniques and controls that exist', () => {
    const controls = new Set(nist.controls.map(({ id }) => id));
    for (const [technique, mapped] of Object.entries(mappings)) {
      expect(techniqueOf(technique), technique).toBeDefined();
      for (const control of mapped) expect(controls).toContain(control);
    }
    expect(new Set(Object.values(mappings).flat())).toEqual(controls);
  });

  test('every rule leads to a control, but where the mapping knows none', () => {
    const mapped = (id: string) => mappings[id] !== undefined || mappings[id.slice(0, 5)] !== undefined;
    const unmapped = all.map(techniqueIds).filter((ids) => !ids.some(mapped));
    // Nothing prevents asking who one is, mining, or being scanned; the mapping says so too.
    expect(unmapped.length, [...new Set(unmapped.flat())].sort().join(' ')).toBeLessThan(all.length * 0.05);
  });
});

const techniqueIds = ({ tags }: SigmaRule | Correlation): string[] =>
  (tags ?? []).filter((tag) => /^attack\.t\d/.test(tag)).map((tag) => tag.slice(7).toUpperCase());

function category(custom: Record<string, unknown>): unknown {
  return guidanceOf(custom).category ?? custom.category;
}

/** The rule's own part `custom`. */
function guidanceOf(custom: Record<string, unknown>): Record<string, unknown> {
  return (custom.custom as Record<string, unknown> | undefined) ?? {};
}
