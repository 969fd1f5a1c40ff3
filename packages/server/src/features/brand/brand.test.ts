import { expect, test } from 'vitest';
import { subDomainOf } from './brand.service.ts';

test.each([
  ['harbor.localhost:8080', 'harbor'],
  ['HARBOR.portal.example', 'harbor'],
  ['localhost:8080', undefined],
  ['127.0.0.1:8080', undefined],
  ['[::1]:8080', undefined],
  ['', undefined],
  ['../etc.example', undefined],
  ['a_b.example', undefined],
  [`${'x'.repeat(64)}.example`, undefined],
])('the brand of %s is %s', (host, label) => {
  expect(subDomainOf(host)).toBe(label);
});
