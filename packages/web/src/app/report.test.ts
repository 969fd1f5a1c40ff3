import { Problem } from '@parapet/contract/problem.ts';
import { expect, test } from 'vitest';
import { reportOf } from './report.ts';

const facts = {
  at: new Date('2026-11-12T08:00:00Z'),
  address: 'https://portal.example/apps/alerts/10?text=secret#x',
  version: 'a1b2',
  browser: 'Firefox',
};

test('contains request, page and version, without the query', () => {
  const text = reportOf(new Problem('unexpected', 'It broke', { requestId: 'req-7' }), facts);
  expect(text).toContain('Request: req-7 (unexpected)');
  expect(text).toContain('Page: https://portal.example/apps/alerts/10\n');
  expect(text).toContain('Version: a1b2');
  expect(text).not.toContain('secret');
});

test('accepts any thrown value and shortens it', () => {
  expect(reportOf('a text', { ...facts, version: '' })).toContain('Version: unknown');
  expect(reportOf(undefined, facts)).toContain('undefined');
  expect(reportOf(new Error('x'.repeat(10_000)), facts).length).toBeLessThan(2500);
});
