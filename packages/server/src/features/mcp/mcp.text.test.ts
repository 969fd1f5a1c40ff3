/** Results as text: hidden characters, and results over the maximum length. */
import { expect, test } from 'vitest';
import { untrustedText } from './mcp.text.ts';

const mark = 'abcdefghijkl';
const dataOf = (text: string): string =>
  text.slice(text.indexOf(`<untrusted-${mark}>\n`) + mark.length + 13, text.indexOf(`\n</untrusted-${mark}>`));

const hidden = [
  ...[0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200d, 0x202e],
  ...[0x2028, 0x2029, 0x2060, 0x2065, 0x2066, 0x3164, 0xe000, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0x1d173, 0xe0049, 0xe0100],
  ...[0xe0fff, 0x10fffd],
];
test.each(hidden.map((code) => [code.toString(16), code] as const))('writes U+%s as an escape of JSON', (_, code) => {
  const text = `a${String.fromCodePoint(code)}b`;
  const data = dataOf(untrustedText({ text }, mark));
  expect(data).toMatch(/^{"text":"a(?:\\u[\da-f]{4}){1,2}b"}$/);
  expect(JSON.parse(data)).toEqual({ text });
});

test('writes C0 characters and half surrogate pairs as escapes of JSON', () => {
  for (const text of ['\0', '\x1b[8m', '\r', '\ud800', '\udfff']) {
    const data = dataOf(untrustedText({ text }, mark));
    expect(data).toMatch(/^[ -~]+$/);
    expect(JSON.parse(data)).toEqual({ text });
  }
});

test('leaves visible text of all scripts alone', () => {
  const text = 'Söhne, 東京, Ελλάδα, עברית, 😀 – “quoted”';
  expect(dataOf(untrustedText({ text }, mark))).toBe(JSON.stringify({ text }));
});

test.each(['results', 'artifacts'])('drops %s from their end and counts them, with the rest of the answer whole', (name) => {
  const rows = Array.from({ length: 50 }, (_, index) => ({ value: `${index}-`.padEnd(3_000, 'x') }));
  const text = untrustedText({ responses: ['isolate'], [name]: rows, omitted: 7 }, mark);
  expect(text).not.toContain('Truncated after');
  const answer = JSON.parse(dataOf(text));
  expect(answer).toMatchObject({ responses: ['isolate'], [name]: rows.slice(0, 25), omitted: 32 });
  expect(answer[name]).toHaveLength(25);
});

test('measures rows with their escapes', () => {
  const rows = Array.from({ length: 40 }, () => '\u{e0100}'.repeat(1_000));
  const data = dataOf(untrustedText({ results: rows }, mark));
  expect(data.length).toBeLessThanOrEqual(100_000);
  expect(data).toContain('"omitted":35');
});

test.each([
  ['text', { story: 'x'.repeat(150_000) }],
  ['one row', { results: ['x'.repeat(150_000)] }],
])('states where %s that is too long was cut, after the marks', (_name, answer) => {
  const text = untrustedText(answer, mark);
  const all = JSON.stringify(answer).length;
  expect(text.endsWith(`\n</untrusted-${mark}>\nTruncated after 100000 of ${all} characters.`)).toBe(true);
  expect(dataOf(text)).toHaveLength(100_000);
});

test('cuts no surrogate pair in half', () => {
  for (const start of ['', 'x']) {
    const text = untrustedText({ story: `${start}${'😀'.repeat(60_000)}` }, mark);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/Truncated after (100000|99999) of/);
  }
});
