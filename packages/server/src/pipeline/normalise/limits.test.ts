import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../event.ts';
import { checkLimits, cleanForStorage, cleanText, needsCleaning } from './limits.ts';

const nested = (depth: number): Document => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('checkLimits', () => {
  it('allows 1,000 fields and 20 levels, not one more', () => {
    const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
    expect(checkLimits(wide(1000))).toBe('ok');
    expect(checkLimits(wide(1001))).toBe('too-many-fields');
    expect(checkLimits({ list: Array.from({ length: 600 }, () => ({ a: 1, b: 2 })) })).toBe('too-many-fields');
    expect(checkLimits(nested(20))).toBe('ok');
    expect(checkLimits(nested(21))).toBe('too-deep');
    expect(checkLimits({ a: JSON.parse('['.repeat(20) + ']'.repeat(20)) })).toBe('too-deep');
  });

  it('survives nesting that would exhaust the stack', () => {
    expect(checkLimits(nested(200_000))).toBe('too-deep');
  });
});

describe('cleanForStorage', () => {
  it('replaces what PostgreSQL rejects, in values and keys at any depth', () => {
    const document = JSON.parse(
      '{"a\\u0000":["x\\ud800y",{"\\udc00":"ok"}],"__proto__":{"n":"\\u0000"},"emoji":"\\ud83d\\ude00"}',
    ) as Document;
    cleanForStorage(document);
    expect(JSON.stringify(document)).toBe('{"__proto__":{"n":"�"},"emoji":"😀","a�":["x�y",{"�":"ok"}]}');
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  });

  it('preserves both of two keys that become equal', () => {
    const document: Document = { 'a\0': 1, 'a\ufffd': 2 };
    expect(Object.values(cleanForStorage(document)).sort()).toEqual([1, 2]);
  });

  it('needsCleaning detects from the raw line that there is nothing to do', () => {
    expect(needsCleaning('{"a":"\\u003cscript\\u003e \\u001b[0m"}')).toBe(false);
    expect(needsCleaning('{"a":"\\u0000"}')).toBe(true);
    expect(needsCleaning('{"a":"\\uD800"}')).toBe(true);
    expect(needsCleaning('plain \0 text')).toBe(true);
  });

  it('leaves nothing that needs cleaning, and needsCleaning misses nothing', () => {
    const wild = fc.string({ unit: fc.constantFrom('\0', '\ud800', '\udfff', 'a', '\\', '"', '😀', '\n') });
    fc.assert(
      fc.property(
        fc.dictionary(wild, fc.jsonValue({ stringUnit: fc.constantFrom('\0', '\ud801', '\udc01', 'b', 'u0000', '\\') })),
        (made) => {
          const raw = JSON.stringify(made);
          const document = JSON.parse(raw) as Document;
          const before = JSON.stringify(document);
          cleanForStorage(document);
          const after = JSON.stringify(document);
          expect(/\\ud[89a-f]|(?<!\\)(?:\\\\)*\\u0000/.test(after)).toBe(false);
          if (!needsCleaning(raw)) expect(after).toBe(before);
        },
      ),
    );
  });

  it('cleans single texts', () => {
    const text = 'plain';
    expect(cleanText(text)).toBe(text);
    expect(cleanText('a\0b\ud800')).toBe('a\ufffdb\ufffd');
  });
});
