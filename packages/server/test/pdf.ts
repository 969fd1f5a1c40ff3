/** PDF reader for tests: page streams decoded with the fonts’ ToUnicode tables. */
import { inflateSync } from 'node:zlib';

/** A ligature maps to several characters, with a gap between them. */
const unitsOf = (hex: string | undefined): number[] =>
  (hex?.replaceAll(' ', '').match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16));

function streamsOf(pdf: Buffer): string[] {
  const file = pdf.toString('latin1');
  return [...file.matchAll(/stream\r?\n/g)].flatMap(({ index, 0: mark }) => {
    try {
      const from = index + mark.length;
      return [inflateSync(pdf.subarray(from, file.indexOf('endstream', from))).toString('latin1')];
    } catch {
      return [];
    }
  });
}

const isDrawn = (stream: string): boolean => / TJ|Tj/.test(stream);

/** Glyph numbers drawn on the pages, of any font. */
export const glyphsOf = (pdf: Buffer): number[] => streamsOf(pdf).filter(isDrawn).flatMap(drawnIn);

const signsOf = (table: string): Map<number, string> => {
  const signs = new Map<number, string>();
  for (const [, from, , list] of table.matchAll(/<(\w+)> <(\w+)> \[([^\]]*)\]/g))
    for (const [at, [, hex]] of [...(list ?? '').matchAll(/<([\w ]+)>/g)].entries())
      signs.set(Number.parseInt(from ?? '', 16) + at, String.fromCharCode(...unitsOf(hex)));
  return signs;
};

const drawnIn = (stream: string): number[] => [...stream.matchAll(/<(\w+)>/g)].flatMap(([, hex]) => unitsOf(hex));

/** One text per page and font: glyphs are numbered by font, so texts drawn with another font are garbage. */
export function pagesOf(pdf: Buffer): string[][] {
  const streams = streamsOf(pdf);
  const fonts = streams.filter((stream) => stream.includes('begincmap')).map(signsOf);
  return streams.filter(isDrawn).map((stream) =>
    fonts.map((signs) =>
      drawnIn(stream)
        .map((glyph) => signs.get(glyph) ?? '')
        .join(''),
    ),
  );
}

/** The texts of all pages joined. */
export function textsOf(pdf: Buffer): string[] {
  const pages = pagesOf(pdf);
  return (pages[0] ?? []).map((_, font) => pages.map((page) => page[font]).join(''));
}
