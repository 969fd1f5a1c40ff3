/** Renders a report in a worker thread. Fonts are embedded from the package; the document reads neither disk nor network. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import pdfmake from 'pdfmake';
import { chartSvg } from './pdf.charts.ts';
import { type Tag, tag, teachTags } from './pdf.tags.ts';
import type { PdfFigure, PdfReport, PdfSection, PdfTable } from './pdf.ts';

// The reader of fonts that pdfmake itself draws with.
const inPdfmake = createRequire(createRequire(import.meta.url).resolve('pdfmake'));
interface Face {
  characterSet: number[];
  unitsPerEm: number;
  glyphForCodePoint(code: number): { advanceWidth: number };
}
const fontkit: { openSync(file: string): Face } = createRequire(inPdfmake.resolve('pdfkit'))('fontkit');

const muted = '#5a6472';
const rule = '#d5dae1';
const maxText = 20_000;

/** Break opportunities in long words: line breaking takes time quadratic in the length of a word. */
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

const bold = fontkit.openSync(join(folder, faces.bold));
const inBold = new Set(bold.characterSet);
/** Latin, Greek and Cyrillic. Fonts with Chinese and the rest would weigh more than the portal itself. */
const drawn = new Set(fontkit.openSync(join(folder, faces.normal)).characterSet.filter((code) => inBold.has(code)));

/** Replaces characters without a glyph by their code point. */
const legible = (sign: string): string => {
  const code = sign.codePointAt(0) as number;
  if (sign === '\n' || sign === '\t' || (drawn.has(code) && !unseen.test(sign))) return sign;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
};

/** Truncated twice: a code point is longer than its character. */
const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

const drawable = (text: string): string =>
  cut(
    cut(text)
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(/[^ -~]/gu, legible),
  ).replace(longWord, '$&\u200B');

function prepare(): void {
  const files = new Map(Object.values(faces).map((face) => [face, readFileSync(join(folder, face))]));
  teachTags(inPdfmake, files);
  for (const [face, bytes] of files) pdfmake.virtualfs.writeFileSync(face, bytes);
  pdfmake.setFonts({ Roboto: faces });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
}

const pageWidth = 499;
/** The tag goes with the words themselves: what a paragraph has besides its style does not reach the lines that are drawn of it. */
const text = (value: string, { tag, ...style }: { tag?: Tag | undefined } & Record<string, unknown> = {}) => ({
  ...style,
  text: tag ? [{ text: drawable(value), tag }] : drawable(value),
});

/** Longest text, in characters, that stays with its heading on one page. */
const shortText = 2_500;
const shortCell = 500;
/** So many rows of one line each stand on one page together; of longer tables the first ones stay with the head. */
const wholeRows = 16;
const firstRows = 3;
/** For a heading that would otherwise stand alone at the foot of a page. */
const roomForFirstRows = 135;
const smallRows = 6;
const rowHeight = 18;
const lines = { hLineWidth: () => 0.5, vLineWidth: () => 0, hLineColor: () => rule, paddingLeft: () => 0 };

function factsOf(facts: NonNullable<PdfSection['facts']>, within: Tag): object {
  const whole = tag('Table', within);
  return {
    layout: lines,
    table: {
      widths: [130, '*'],
      body: facts.map(([label, value]) => {
        const row = tag('TR', whole);
        return [text(label, { color: muted, tag: { ...tag('TH', row), scope: 'Row' } }), text(value, { tag: tag('TD', row) })];
      }),
    },
  };
}

const tones = { plain: muted, good: '#1b6e3c', bad: '#a3261f' };
const maxInRow = 5;

function figuresOf(figures: readonly PdfFigure[], within: Tag): object {
  // Rows as even as can be.
  const inRow = Math.ceil(figures.length / Math.ceil(figures.length / maxInRow));
  const hasNotes = figures.some(({ note }) => note !== '');
  const cells = figures.map(({ name, value, note, tone }) => {
    const whole = tag('P', within);
    return {
      fillColor: '#f5f6f8',
      stack: [
        text(name, { fontSize: 7.5, color: muted, tag: whole }),
        text(value, { fontSize: 13, bold: true, margin: [0, 1, 0, 1], tag: whole }),
        ...(hasNotes ? [text(note || ' ', { fontSize: 7, color: tones[tone], tag: note ? whole : undefined })] : []),
      ],
    };
  });
  const rows = Array.from({ length: Math.ceil(cells.length / inRow) }, (_, row) =>
    Array.from({ length: inRow }, (_, column) => cells[row * inRow + column] ?? { text: '' }),
  );
  return {
    margin: [0, 4, 0, 8],
    // White lines between the cells stand for gaps.
    layout: {
      hLineWidth: () => 3,
      vLineWidth: (column: number) => (column === 0 || column === inRow ? 0 : 5),
      hLineColor: () => '#ffffff',
      vLineColor: () => '#ffffff',
      paddingTop: () => 5,
      paddingBottom: () => 4,
      paddingLeft: () => 7,
      paddingRight: () => 5,
    },
    table: { widths: Array(inRow).fill('*'), body: rows, dontBreakRows: true },
  };
}

const listOf = (list: NonNullable<PdfSection['list']>, accent: string, within: Tag): object => {
  const whole = tag('L', within);
  return {
    layout: 'noBorders',
    table: {
      widths: [14, '*'],
      dontBreakRows: list.every((item) => item.text.length + item.note.length < shortText),
      body: list.map((item, index) => {
        const own = tag('LI', whole);
        const body = tag('LBody', own);
        return [
          text(`${index + 1}.`, { bold: true, color: accent, tag: tag('Lbl', own) }),
          {
            margin: [0, 0, 0, 4],
            stack: [text(item.text, { bold: true, tag: body }), text(item.note, { color: muted, tag: body })],
          },
        ];
      }),
    },
  };
};

const advances = new Map<string, number>();
/** Width in the widest font, as if each character stood alone; capped at the page width. */
function widthOf(value: string, size: number): number {
  let units = 0;
  for (const sign of drawable(value.slice(0, pageWidth))) {
    const known = advances.get(sign) ?? bold.glyphForCodePoint(sign.codePointAt(0) as number).advanceWidth / bold.unitsPerEm;
    advances.set(sign, known);
    units += known;
  }
  return units * size;
}

/** Columns as wide as what is in them, sharing what is left; where that is too wide for the page, the widest is broken into lines. */
function fitted({ head, rows }: PdfTable, size: number, gap: number): { widths: (number | string)[]; isOnOneLine: boolean } {
  const natural = head.map((name, column) =>
    Math.ceil(rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '', size)), widthOf(name, size))),
  );
  const left = pageWidth - gap * (head.length - 1) - natural.reduce((sum, width) => sum + width, 0);
  if (left >= 0) return { widths: natural.map((width) => width + left / head.length), isOnOneLine: true };
  const widest = natural.indexOf(Math.max(...natural));
  return { widths: natural.map((_, column) => (column === widest || head.length > 9 ? '*' : 'auto')), isOnOneLine: false };
}

function tableOf(table: PdfTable, within: Tag, above: number): object {
  const { head, rows, numbers = [] } = table;
  const whole = tag('Table', within);
  const side = (column: number) => (numbers[column] ? { alignment: 'right' } : {});
  const headRow = tag('TR', whole);
  const isNarrow = head.length > 9;
  const [size, gap] = isNarrow ? [7, 4] : [8, 8];
  const { widths, isOnOneLine } = table.widths ? { widths: table.widths, isOnOneLine: false } : fitted(table, size, gap);
  const isShort = (most: number) => (row: readonly string[]) => row.every((cell) => cell.length < most);
  return {
    margin: [0, -above, 0, 0],
    unbreakable: isOnOneLine && rows.length <= wholeRows && rows.every((row) => row.every((cell) => !cell.includes('\n'))),
    layout: {
      ...lines,
      paddingRight: (column: number) => (column === head.length - 1 ? 0 : gap),
      paddingTop: () => (isNarrow ? 1 : 2),
      paddingBottom: () => (isNarrow ? 0.5 : 2),
      fillColor: (row: number) => (row > 0 && row % 2 === 0 ? '#fafbfc' : null),
    },
    fontSize: size,
    table: {
      headerRows: 1,
      keepWithHeaderRows: rows.slice(0, firstRows).every(isShort(150)) ? firstRows : 1,
      dontBreakRows: rows.every(isShort(shortCell)),
      widths: [...widths],
      body: [
        head.map((name, column) => text(name, { bold: true, color: muted, ...side(column), tag: tag('TH', headRow) })),
        ...rows.map((row) => {
          const own = tag('TR', whole);
          return row.map((cell, column) => text(cell, { ...side(column), tag: tag('TD', own) }));
        }),
      ],
    },
  };
}

function sectionOf(
  { title, facts, texts = [], figures, chart, list, table }: PdfSection,
  accent: string,
  document: Tag,
): object[] {
  const within = tag('Sect', document);
  const begins = [
    text(title, {
      fontSize: 13,
      bold: true,
      color: accent,
      margin: [0, 16, 0, 6],
      tag: tag('H2', within),
      ...(title !== '' && { outline: true, outlineText: property(title) }),
    }),
    ...(facts && facts.length > 0 ? [factsOf(facts, within)] : []),
    ...texts.map((value) => text(value, { margin: [0, 0, 0, 6], tag: tag('P', within) })),
    ...(figures && figures.length > 0 ? [figuresOf(figures, within)] : []),
  ];
  const length = texts.reduce((sum, value) => sum + value.length, 0);
  const isShort = length < shortText && (facts?.length ?? 0) < 12 && (figures?.length ?? 0) <= 12;
  const next = chart || list?.length ? 0 : (table?.rows.length ?? 0);
  const small = (next + 1) * rowHeight;
  // An unbreakable block needs room for all of it; after figures only small blocks stay on the page.
  const after = figures?.length
    ? next <= smallRows
      ? small
      : 0
    : next <= wholeRows
      ? Math.max(small, roomForFirstRows)
      : roomForFirstRows;
  const room = isShort && next > 0 ? after : 0;
  return [
    ...(isShort ? [{ stack: [{ stack: begins, margin: [0, 0, 0, room] }], unbreakable: true }] : begins),
    ...(chart
      ? [
          {
            unbreakable: true,
            stack: [
              {
                svg: chartSvg(chart, pageWidth, accent),
                width: pageWidth,
                margin: [0, 4, 0, 2],
                tag: tag('Figure', within, drawable(chart.alternative)),
              },
              text(chart.alternative, { fontSize: 7.5, italics: true, color: muted, margin: [0, 0, 0, 8] }),
            ],
          },
        ]
      : []),
    ...(list && list.length > 0 ? [listOf(list, accent, within)] : []),
    ...(table && table.rows.length > 0 ? [tableOf(table, within, room)] : []),
  ];
}

/** The document's properties are written into XML as they are. */
const property = (value: string): string =>
  cut(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}<>&]/gu, ' ');

async function draw({ brand, title, subtitle, madeAt, sections }: PdfReport): Promise<Buffer> {
  const { name, footer, logo } = brand;
  // Chart drawing would render an invalid colour; everything else would throw.
  const accent = /^#[0-9a-f]{6}$/i.test(brand.accent) ? brand.accent : '#333333';
  const document = tag('Document', undefined);
  return pdfmake
    .createPdf({
      pageSize: 'A4',
      pageMargins: [48, 48, 48, 60],
      version: '1.7',
      tagged: true,
      displayTitle: true,
      language: 'en',
      info: {
        title: property(subtitle ? `${title} · ${subtitle}` : title),
        author: property(name),
        creator: property(name),
        producer: property(name),
      },
      defaultStyle: { font: 'Roboto', fontSize: 9.5, lineHeight: 1.2 },
      ...(logo && { images: { logo: `data:image/png;base64,${Buffer.from(logo).toString('base64')}` } }),
      content: [
        logo
          ? { image: 'logo', fit: [160, 44], tag: tag('Figure', document, drawable(name)) }
          : text(name, { fontSize: 15, bold: true, color: accent, tag: tag('P', document) }),
        { canvas: [{ type: 'rect', x: 0, y: 0, w: pageWidth, h: 2, color: accent }], margin: [0, 10, 0, 0] },
        text(title, { fontSize: 19, bold: true, margin: [0, 12, 0, 2], tag: tag('H1', document) }),
        text(subtitle, { color: muted, tag: tag('P', document) }),
        ...sections.flatMap((section) => sectionOf(section, accent, document)),
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
