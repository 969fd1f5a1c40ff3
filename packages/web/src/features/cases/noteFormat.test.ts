import { expect, test } from 'vitest';
import { blocksOf, inlinesOf, safeHref } from './noteFormat.ts';

test('parses paragraphs, lists and code blocks in order', () => {
  expect(
    blocksOf('Seen twice.\nSame host.\n\n- first\n- `second`\n\n- another list\n```\nnet user /add\n- not a list\n```\nafter'),
  ).toEqual([
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'Seen twice.' }], [{ kind: 'text', text: 'Same host.' }]] },
    { kind: 'list', items: [[{ kind: 'text', text: 'first' }], [{ kind: 'code', text: 'second' }]] },
    { kind: 'list', items: [[{ kind: 'text', text: 'another list' }]] },
    { kind: 'code', text: 'net user /add\n- not a list' },
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'after' }]] },
  ]);
});

test('extends an unclosed fence to the end', () => {
  expect(blocksOf('a\n```\nb\nhttps://c.example')).toEqual([
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'a' }]] },
    { kind: 'code', text: 'b\nhttps://c.example' },
  ]);
});

test('treats markup as text', () => {
  expect(blocksOf('<img src=x onerror=alert(1)>')).toEqual([
    { kind: 'paragraph', lines: [[{ kind: 'text', text: '<img src=x onerror=alert(1)>' }]] },
  ]);
});

test('excludes trailing punctuation from links', () => {
  expect(inlinesOf('See https://a.example/x_(y), then (https://b.example/?q=1).')).toEqual([
    { kind: 'text', text: 'See ' },
    { kind: 'link', text: 'https://a.example/x_(y)', href: 'https://a.example/x_(y)' },
    { kind: 'text', text: ', then (' },
    { kind: 'link', text: 'https://b.example/?q=1', href: 'https://b.example/?q=1' },
    { kind: 'text', text: ').' },
  ]);
});

test('creates no links inside code', () => {
  expect(inlinesOf('`curl https://a.example`')).toEqual([{ kind: 'code', text: 'curl https://a.example' }]);
});

test.each([
  'http://a.example',
  'javascript:alert(1)',
  'https://good.example@evil.example',
  'https://good.example:pw@evil.example/',
  'https://xn--80ak6aa92e.com/',
  'https://www.xn--80ak6aa92e.com/',
  'https://аpple.example/',
  'https://a.example/\u202Egpj.exe',
  'https://0x7f.1/',
  'https://',
  `https://a.example/${'x'.repeat(2000)}`,
])('rejects %s as a link', (text) => {
  expect(safeHref(text)).toBeUndefined();
});

test('links to the address as displayed', () => {
  expect(safeHref('https://A.example:443/x?y=1#z')).toBe('https://a.example/x?y=1#z');
  expect(safeHref('https://203.0.113.9:8443/')).toBe('https://203.0.113.9:8443/');
});
