import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { glyphsOf, pagesOf, textsOf } from '../../test/pdf.ts';
import { makePdf, type PdfReport } from './pdf.ts';

const report = (some: Partial<PdfReport> = {}): PdfReport => ({
  brand: { name: 'Harbor', accent: '#3d4f6d', footer: 'Confidential', logo: undefined },
  title: 'Case 12',
  subtitle: 'Alder',
  madeAt: '2026-03-01 00:00 UTC',
  sections: [],
  ...some,
});

describe('a report', () => {
  test('holds its own fonts and nothing that acts', async () => {
    const hostile = '<script>alert(1)</script> {"image":"/etc/passwd"} file:///etc/passwd https://evil.example/x.png';
    const pdf = await makePdf(
      report({
        title: hostile,
        brand: { name: hostile, accent: 'no colour', footer: hostile, logo: undefined },
        sections: [
          {
            title: hostile,
            facts: [[hostile, hostile]],
            texts: [hostile],
            table: { head: [hostile], widths: ['*'], rows: [[hostile]] },
          },
        ],
      }),
    );
    const file = pdf.toString('latin1');
    expect(file.startsWith('%PDF-1.7')).toBe(true);
    expect(file).toContain('/FontFile2');
    expect(file).not.toContain('<script>');
    expect(file).not.toMatch(/\/(JavaScript|JS|URI|Launch|EmbeddedFile|OpenAction|Image)\b/);
  });

  test('shows text as written, and invisible characters by their code point', async () => {
    const pdf = await makePdf({
      ...report({ title: '', subtitle: '', madeAt: '', brand: { name: '', accent: '#000000', footer: '', logo: undefined } }),
      sections: [{ title: '', texts: ['invoice\u202Egnp.exe a\u0000b <b>{{1}}</b> Ünïcode Привет', 'x'.repeat(3_000)] }],
    });
    const text = textsOf(pdf)
      .join('')
      .replace(/[\u200B ]/g, '');
    expect(text).toContain('invoice[U+202E]gnp.exea[U+0000]b<b>{{1}}</b>ÜnïcodeПривет');
    expect(text.match(/x/g)!.length).toBeGreaterThanOrEqual(3_000);
  });

  test('shows signs that its fonts do not have by their number, in bold and in plain text, and no empty box', async () => {
    const pdf = await makePdf({
      ...report({ title: '', subtitle: '', madeAt: '', brand: { name: '', accent: '#000000', footer: '', logo: undefined } }),
      sections: [{ title: 'user 中文', texts: ['café Żółć Ελλάδα Київ “5 €” 中 → │ 😀 x\u00ADy\u200Bz \uD83D'] }],
    });
    const text = textsOf(pdf)
      .join('\n')
      .replace(/[\u200B ]/g, '');
    expect(text).toContain('user[U+4E2D][U+6587]');
    expect(text).toContain('caféŻółćΕλλάδαКиїв“5€”[U+4E2D][U+2192][U+2502][U+1F600]x[U+00AD]y[U+200B]z');
    // Glyph 0 is the box of a font that lacks the sign.
    expect(glyphsOf(pdf)).not.toContain(0);
  });

  test('renders text without glyphs in time and marks where it is truncated', async () => {
    const pdf = await makePdf(report({ sections: [{ title: 'Notes', texts: Array(26).fill('中'.repeat(20_000)) }] }));
    const text = textsOf(pdf)
      .join('')
      .replace(/[\u200B ]/g, '');
    expect(text.match(/U\+4E2D/g)).toHaveLength(26 * 2_500);
    expect(text.match(/…/g)?.length).toBeGreaterThanOrEqual(26);
  });

  test('tags its structure for screen readers: headings, table heads and alternative texts', async () => {
    const pdf = await makePdf(
      report({
        sections: [
          {
            title: 'Alerts',
            facts: [['Client', 'Alder']],
            texts: ['A paragraph.'],
            figures: [{ name: 'All', value: '12', note: '', tone: 'plain' }],
            list: [{ text: 'Do it', note: 'The reason' }],
            table: {
              head: ['Rule', 'Count'],
              numbers: [false, true],
              rows: Array.from({ length: 90 }, (_, row) => [`Rule ${row}`, String(row)]),
            },
            chart: { kind: 'bars', labels: ['1', '2'], series: [{ name: 'High', values: [1, 2] }], alternative: 'Two days' },
          },
        ],
      }),
    );
    const file = pdf.toString('latin1');
    expect(file).toMatch(/\/Marked true/);
    expect(file).toMatch(/\/Lang \(en\)/);
    // In UTF-16, as it has a sign that is not ASCII.
    expect(pdf.includes(Buffer.from('Case 12 · Alder', 'utf16le').swap16())).toBe(true);
    expect(file).toContain('/Alt (Two days)');
    const count = (type: string) => file.match(new RegExp(`/S /${type}\\b`, 'g'))?.length ?? 0;
    // The head of a table that goes over pages stands on each, and is read once.
    expect([count('Lbl'), count('LBody')]).toEqual([1, 1]);
    expect([
      count('H1'),
      count('H2'),
      count('Table'),
      count('TH'),
      count('TR'),
      count('TD'),
      count('Figure'),
      count('LI'),
    ]).toEqual([1, 1, 2, 3, 92, 181, 1, 1]);
    expect(file.match(/\/Scope \/(Row|Column)/g)).toEqual(['/Scope /Row', '/Scope /Column', '/Scope /Column']);
    expect(file).toContain('/Outlines');
    expect(file.match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(1);
  });

  test('a heading stands over the first rows of its table, and short tables are not torn', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, row) => [`r${row}.`]);
    for (let lines = 6; lines < 60; lines++) {
      const pdf = await makePdf(
        report({
          sections: [
            { title: 'Before', texts: [Array(lines).fill('x').join('\n')] },
            { title: 'Wolframite', table: { head: ['Row'], rows: rows(90) } },
            { title: 'Xylophones', table: { head: ['Row'], rows: rows(12) } },
          ],
        }),
      );
      const pages = pagesOf(pdf).map((fonts) => fonts.map((text) => text.replace(/[\u200B ]/g, '')));
      const rowsBeneath = (title: string, wanted: RegExp) =>
        pages
          .filter((fonts) => fonts.some((text) => text.includes(title)))
          .map((fonts) => fonts.some((text) => wanted.test(text)));
      expect([lines, rowsBeneath('Wolframite', /r0\.r1\.r2\./)]).toEqual([lines, [true]]);
      expect([lines, rowsBeneath('Xylophones', /r0\.r1\..*r11\.(?!r12)/)]).toEqual([lines, [true]]);
    }
  }, 60_000);

  test('carries a logo', async () => {
    const logo = await sharp({ create: { width: 300, height: 80, channels: 4, background: '#ff000080' } })
      .png()
      .toBuffer();
    const pdf = await makePdf(report({ brand: { name: 'Harbor', accent: '#3d4f6d', footer: '', logo } }));
    expect(pdf.toString('latin1')).toContain('/Image');
  });

  test('many at once wait for each other; too many are refused', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 24 }, () => makePdf(report())));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason.code)).toEqual(
      Array(4).fill('tooManyRequests'),
    );
    expect((await makePdf(report())).length).toBeGreaterThan(1_000);
  });
});
