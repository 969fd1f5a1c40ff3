/**
 * Draws a report, apart from everything else. Fonts come from the package and are embedded; the document asks neither disk nor network for
 * anything.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import pdfmake from 'pdfmake';
import type { PdfReport, PdfSection } from './pdf.ts';

// The reader of fonts that pdfmake itself draws with.
const inPdfmake = createRequire(createRequire(import.meta.url).resolve('pdfmake'));
const fontkit: { openSync(file: string): { characterSet: number[] } } = createRequire(inPdfmake.resolve('pdfkit'))('fontkit');

const muted = '#5a6472';
const rule = '#d5dae1';
const maxText = 20_000;

/** Where a word without a gap may be cut: lines are found in a time that grows with the square of its length. */
const longWord = /[^\s\u200B]{40}(?=[^\s\u200B])/gu;
/** Signs that are not seen, and those that turn the order of what stands around them. */
const unseen = /[\p{Cc}\p{Cf}]/u;

const folder = join(dirname(inPdfmake.resolve('pdfmake/package.json')), 'fonts', 'Roboto');
const faces = {
  normal: 'Roboto-Regular.ttf',
  bold: 'Roboto-Medium.ttf',
  italics: 'Roboto-Italic.ttf',
  bolditalics: 'Roboto-MediumItalic.ttf',
};

const signsOf = (face: string) => fontkit.openSync(join(folder, face)).characterSet;
const inBold = new Set(signsOf(faces.bold));
/** Latin, Greek and Cyrillic. Fonts with Chinese and the rest would weigh more than the portal itself. */
const drawn = new Set(signsOf(faces.normal).filter((code) => inBold.has(code)));

/** Whatever would be an empty box or nothing at all is shown by its number. */
const legible = (sign: string): string => {
  const code = sign.codePointAt(0) as number;
  if (sign === '\n' || sign === '\t' || (drawn.has(code) && !unseen.test(sign))) return sign;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
};

/** Cut twice, as a sign's number is longer than the sign. */
const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

const drawable = (text: string): string =>
  cut(
    cut(text)
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(/[^ -~]/gu, legible),
  ).replace(longWord, '$&\u200B');

function prepare(): void {
  for (const face of Object.values(faces)) pdfmake.virtualfs.writeFileSync(face, readFileSync(join(folder, face)));
  pdfmake.setFonts({ Roboto: faces });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
}

const text = (value: string, style: object = {}) => ({ ...style, text: drawable(value) });

function sectionOf({ title, facts, texts, table }: PdfSection, accent: string): object[] {
  const lines = { hLineWidth: () => 0.5, vLineWidth: () => 0, hLineColor: () => rule, paddingLeft: () => 0 };
  return [
    text(title, { fontSize: 13, bold: true, color: accent, margin: [0, 16, 0, 6] }),
    ...(facts && facts.length > 0
      ? [
          {
            layout: lines,
            table: {
              widths: [130, '*'],
              body: facts.map(([label, value]) => [text(label, { color: muted }), text(value)]),
            },
          },
        ]
      : []),
    ...(texts ?? []).map((value) => text(value, { margin: [0, 0, 0, 6] })),
    ...(table && table.rows.length > 0
      ? [
          {
            layout: lines,
            fontSize: 8,
            table: {
              headerRows: 1,
              widths: [...table.widths],
              body: [
                table.head.map((name) => text(name, { bold: true, color: muted })),
                ...table.rows.map((row) => row.map((cell) => text(cell))),
              ],
            },
          },
        ]
      : []),
  ];
}

/** The document's properties are written into XML as they are. */
const property = (value: string): string =>
  cut(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}<>&]/gu, ' ');

async function draw({ brand, title, subtitle, madeAt, sections }: PdfReport): Promise<Buffer> {
  const { name, accent, footer, logo } = brand;
  return pdfmake
    .createPdf({
      pageSize: 'A4',
      pageMargins: [48, 48, 48, 60],
      version: '1.7',
      info: { title: property(title), author: property(name), creator: property(name), producer: property(name) },
      defaultStyle: { font: 'Roboto', fontSize: 9.5, lineHeight: 1.2 },
      ...(logo && { images: { logo: `data:image/png;base64,${Buffer.from(logo).toString('base64')}` } }),
      content: [
        logo ? { image: 'logo', fit: [160, 44] } : text(name, { fontSize: 15, bold: true, color: accent }),
        text(title, { fontSize: 19, bold: true, margin: [0, 18, 0, 2] }),
        text(subtitle, { color: muted }),
        ...sections.flatMap((section) => sectionOf(section, accent)),
      ],
      footer: (page: number, pages: number) => ({
        margin: [48, 16, 48, 0],
        fontSize: 8,
        color: muted,
        columns: [
          text(footer || name, { width: '*' }),
          text(`${madeAt} · ${page} / ${pages}`, { width: 'auto', alignment: 'right' }),
        ],
      }),
    })
    .getBuffer();
}

prepare();
parentPort?.on('message', async (report: PdfReport) => {
  try {
    parentPort?.postMessage({ bytes: await draw(report) });
  } catch (error) {
    parentPort?.postMessage({ fault: error instanceof Error ? error.message : String(error) });
  }
});
