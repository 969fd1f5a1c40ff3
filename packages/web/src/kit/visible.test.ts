import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHidden, segmentsOf, visibleText } from './visible.ts';

describe('hidden characters become visible', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['\u001b[31mred\u001b[0m', '⟨ESC⟩[31mred⟨ESC⟩[0m'],
    ['a\u0000b', 'a⟨NUL⟩b'],
    ['line\r\nline', 'line⟨CR⟩⟨LF⟩line'],
    ['del\u007f', 'del⟨DEL⟩'],
    ['invoice\u202Efdp.exe', 'invoice⟨RLO⟩fdp.exe'],
    ['ad\u200Bmin', 'ad⟨ZWSP⟩min'],
    ['c1\u009b31m', 'c1⟨U+009B⟩31m'],
    ['tag\u{e0041}', 'tag⟨U+E0041⟩'],
    ['lone \ud800 surrogate', 'lone ⟨U+D800⟩ surrogate'],
    ['Müller 北京 שלום 🎉', 'Müller 北京 שלום 🎉'],
    ['family 👩\u200d💻', 'family 👩\u200d💻'],
  ])('%j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('says what the character is', () => {
    expect(segmentsOf('x\u202ey')).toEqual([
      { text: 'x' },
      { text: 'RLO', mark: 'U+202E RIGHT-TO-LEFT OVERRIDE' },
      { text: 'y' },
    ]);
    expect(segmentsOf('\u001b')).toEqual([{ text: 'ESC', mark: 'U+001B ESC' }]);
  });

  it('keeps lines and tabs where asked, and a lone carriage return (which overwrites a terminal line) marked', () => {
    expect(segmentsOf('a\r\n\tb\rc', true)).toEqual([{ text: 'a\n\tb' }, { text: 'CR', mark: 'U+000D CR' }, { text: 'c' }]);
  });

  it('marks every hidden character and loses no text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const segments = segmentsOf(text);
        for (const segment of segments) if (segment.mark) expect(hasHidden(segment.text)).toBe(false);
        const shown = segments
          .filter((segment) => segment.mark === undefined)
          .map((segment) => segment.text)
          .join('');
        const rest = [...text].filter((char) => !hasHidden(char) || char === '\u200d').join('');
        expect(shown.replaceAll('\u200d', '')).toBe(rest.replaceAll('\u200d', ''));
      }),
    );
  });
});
