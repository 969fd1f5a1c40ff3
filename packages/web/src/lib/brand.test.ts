import { expect, test } from 'vitest';
import { linkOf, namelessBrand } from './brand.ts';

test.each([
  ['https://help.example/a', true],
  ['mailto:soc@parapet.example', true],
  ['/pages/faq', true],
  ['//evil.example', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['https://a b', false],
  ['', false],
])('classifies %j as a link: %s', (address, isLink) => {
  expect(linkOf(address)).toBe(isLink ? address : undefined);
});

test('uses a neutral name until the brand is loaded', () => {
  expect(JSON.stringify(namelessBrand)).not.toMatch(/parapet/i);
});
