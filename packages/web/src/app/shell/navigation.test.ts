import { expect, test } from 'vitest';
import { faqAddress, navigationFor, showsFaq } from './navigation.ts';

const titles = (role: string, isPartner = false, hostname = 'localhost') =>
  navigationFor({ role, isPartner, organisationId: 10 }, { helpURL: '' }, hostname).map((group) => [
    group.title,
    ...group.children.map((item) => item.title),
  ]);

test('everybody who is signed in sees what they may read', () => {
  for (const role of ['Host', 'Administrator', 'Manager', 'Analyst', 'Partner Analyst', 'Unknown']) {
    expect(titles(role)).toEqual([
      ['Analytics', 'Dashboard', 'Data Sources'],
      ['Security', 'Alerts'],
      ['Management', 'Settings', 'FAQ'],
    ]);
  }
});

test('guests and empty roles see nothing', () => {
  expect(navigationFor(undefined, { helpURL: '' }, 'localhost')).toEqual([]);
  expect(titles('')).toEqual([]);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['parapet.example', true],
  ['portal.parapet.example', true],
  ['dev.parapet.example', true],
  ['staging.parapet.example', true],
  ['harbor.parapet.example', false],
  ['harbor.localhost', false],
])('FAQ item on %s: %s', (hostname, shown) => {
  expect(showsFaq(hostname)).toBe(shown);
});

test('FAQ leads to the brand’s help, else to the portal’s own page', () => {
  expect(faqAddress({ helpURL: 'https://help.example/start' })).toEqual({ url: 'https://help.example/start', isExternal: true });
  expect(faqAddress({ helpURL: '' })).toEqual({ url: '/pages/faq', isExternal: false });
  expect(faqAddress({ helpURL: 'javascript:alert(1)' })).toEqual({ url: '/pages/faq', isExternal: false });
});
