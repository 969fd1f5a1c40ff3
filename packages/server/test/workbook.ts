/** Workbook reader for tests: sheets as rows of texts and numbers, read from the XML parts. */
import { strFromU8, unzipSync } from 'fflate';

const unescaped = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;|&#39;/g, "'")
    .replace(/&amp;/g, '&');

const columnOf = (place: string): number =>
  [...place.replace(/\d+/, '')].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;

export function sheetsOf(workbook: Uint8Array): Map<string, (string | number | undefined)[][]> {
  const files = unzipSync(workbook);
  const text = (name: string): string => strFromU8(files[name]!);
  const shared = [...text('xl/sharedStrings.xml').matchAll(/<si>(.*?)<\/si>/gs)].map(([, entry = '']) =>
    unescaped([...entry.matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map(([, part]) => part).join('')),
  );
  const names = [...text('xl/workbook.xml').matchAll(/<sheet [^>]*?name="([^"]*)"/g)].map(([, name = '']) => unescaped(name));
  return new Map(
    names.map((name, index) => {
      const sheet = text(`xl/worksheets/sheet${index + 1}.xml`);
      const rows = [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, cells = '']) => {
        const row: (string | number | undefined)[] = [];
        for (const [, attributes = '', value = ''] of cells.matchAll(/<c ([^>]*?)>(?:<v>(.*?)<\/v>)?<\/c>/gs)) {
          const column = columnOf(/r="([A-Z]+\d+)"/.exec(attributes)?.[1] ?? 'A1');
          if (value !== '') row[column] = /t="s"/.test(attributes) ? shared[Number(value)]! : Number(value);
        }
        return row;
      });
      return [name, rows];
    }),
  );
}
