/** What a PDF of ours shows, for tests: the streams of its pages, read by the tables that say which sign each glyph is. */
import { inflateSync } from 'node:zlib';

/** A ligature stands for several signs, with a gap between them. */
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

/** What its pages draw, as numbers of whichever font. */
export const glyphsOf = (pdf: Buffer): number[] => streamsOf(pdf).filter(isDrawn).flatMap(drawnIn);

const signsOf = (table: string): Map<number, string> => {
  const signs = new Map<number, string>();
  for (const [, from, , list] of table.matchAll(/<(\w+)> <(\w+)> \[([^\]]*)\]/g))
    for (const [at, [, hex]] of [...(list ?? '').matchAll(/<([\w ]+)>/g)].entries())
      signs.set(Number.parseInt(from ?? '', 16) + at, String.fromCharCode(...unitsOf(hex)));
  return signs;
};

const drawnIn = (stream: string): number[] => [...stream.matchAll(/<(\w+)>/g)].flatMap(([, hex]) => unitsOf(hex));

/** Of each page one text for each of its fonts: glyphs are numbered by font, so what another one drew is nonsense in it. */
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

/** The same of all pages together. */
export function textsOf(pdf: Buffer): string[] {
  const pages = pagesOf(pdf);
  return (pages[0] ?? []).map((_, font) => pages.map((page) => page[font]).join(''));
}
