/** The proofs that the portal shows and the table in docs/coverage.md are those of the rules and recordings as they are. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { proofs } from './facts/facts.ts';
import { coverageDocument, coverageTable, provedTechniques } from './testing/coverage.ts';

const document = readFileSync(new URL('../docs/coverage.md', import.meta.url), 'utf8');

test('proofs are those of the recordings; npm run coverage writes them', { timeout: 60_000 }, () => {
  const found = provedTechniques();
  expect(Object.keys(found).length).toBeGreaterThan(50);
  expect(proofs).toEqual(found);
});

test('docs/coverage.md has the table of the rules; npm run coverage writes it', { timeout: 60_000 }, () => {
  expect(document).toBe(coverageDocument(document, coverageTable(provedTechniques())));
});

test('a document without the marker is refused', () => {
  expect(() => coverageDocument('# Coverage', '')).toThrow('lacks the line');
});
