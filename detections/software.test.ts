/** Exceptions for common software: each stands as a named filter in a rule, and one list gives its reason and what it leaves open. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compiled } from './testing/pairs.ts';

interface Exception {
  name: string;
  kind: string;
  software: string;
  does: string;
  /** `folder/rule#filter` */
  filters: string[];
  reason: string;
  remains: string;
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { exceptions } = JSON.parse(readFileSync(pathOf('facts/software.json'), 'utf8')) as { exceptions: Exception[] };

/** Named parts of a rule’s detection, and its condition. */
function detectionOf(file: string): Record<string, unknown> {
  const { detection = {} } = parse(readFileSync(pathOf(file), 'utf8')) as { detection?: Record<string, unknown> };
  return detection;
}

test.each(exceptions.map((exception) => [exception.name, exception] as const))(
  '%s gives reason and limits',
  (_name, exception) => {
    for (const sentence of [exception.does, exception.reason, exception.remains]) expect(sentence).toMatch(/^[A-Z].{30,}\.$/);
    expect(exception.software.length).toBeGreaterThan(5);
    expect(exception.filters.length).toBeGreaterThan(0);
    for (const filter of exception.filters) {
      const [rule, name] = filter.split('#') as [string, string];
      const { condition, ...parts } = detectionOf(`${rule}.yml`);
      expect(Object.keys(parts), filter).toContain(name);
      expect(condition, filter).toMatch(new RegExp(`not (?:1 of filter_|\\(?${name}\\b)|not ${name} or`));
    }
  },
);

test('names of exceptions are unique, and filters for software have one', { timeout: 60_000 }, () => {
  const names = exceptions.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const listed = new Map(exceptions.flatMap(({ name, filters }) => filters.map((filter) => [filter, name] as const)));
  for (const { file } of compiled().rules)
    for (const filter of Object.keys(detectionOf(file)).filter((name) => name.startsWith('filter_software_')))
      expect(listed.get(`${file.replace(/\.yml$/, '')}#${filter}`), `${file} ${filter}`).toBe(
        filter.slice('filter_software_'.length),
      );
});
