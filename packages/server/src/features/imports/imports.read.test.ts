/** Reading of files in the forms that converters write, cut at every place. */
import type { ImportFormat } from '@parapet/contract/imports.ts';
import { describe, expect, test } from 'vitest';
import { type FileRecord, readFile } from './imports.read.ts';

async function read(content: string | Buffer, format: ImportFormat = 'ndjson', size = 1 << 20): Promise<FileRecord[]> {
  const bytes = Buffer.from(content as string);
  const records: FileRecord[] = [];
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for await (const part of readFile(chunks(), format)) records.push(...part);
  return records;
}
const values = (records: readonly FileRecord[]) =>
  records.map(({ line, text, fault, row }) => [line, row ?? (text === undefined ? fault : JSON.parse(text))]);

describe('JSON', () => {
  const one = { Event: { System: { EventID: 1 }, text: 'a "quoted" } \\ brace' } };
  const two = { Event: { System: { EventID: 2 } }, list: [{ a: 1 }, { b: [] }] };
  const forms: [string, string, number[]][] = [
    ['one per line', `${JSON.stringify(one)}\n${JSON.stringify(two)}\r\n`, [1, 2]],
    ['a list on one line', JSON.stringify([one, two]), [1, 1]],
    ['a pretty-printed list', JSON.stringify([one, two], null, 4), [2, 10]],
    ['evtx_dump', `Record 1\n${JSON.stringify(one, null, 2)}\nRecord 2\n${JSON.stringify(two, null, 2)}\n`, [2, 11]],
    ['objects without separators', JSON.stringify(one) + JSON.stringify(two), [1, 1]],
  ];

  test.each(forms)('reads %s, with lines', async (_name, content, lines) => {
    expect(values(await read(content))).toEqual([
      [lines[0], one],
      [lines[1], two],
    ]);
  });

  test.each(forms)('reads %s in pieces of three bytes', async (_name, content) => {
    const whole = await read(content);
    expect(await read(content, 'ndjson', 3)).toEqual(whole);
    expect(await read(`\uFEFF${content}`, 'evtx', 7)).toEqual(whole);
  });

  test('reads UTF-16 with a byte order mark', async () => {
    const content = `\uFEFF${JSON.stringify([{ Grüße: '✓' }], null, 2)}`;
    expect(values(await read(Buffer.from(content, 'utf16le'), 'evtx', 5))).toEqual([[2, { Grüße: '✓' }]]);
  });

  test('names broken objects by line, and reads the lines around them', async () => {
    const content = '{"a":1}\n{"a":\n{"a":"x\n{"a":4}\nnonsense\n{"a":6}\n{"a":';
    expect(values(await read(content))).toEqual([
      [1, { a: 1 }],
      [2, 'This object is not closed on its line.'],
      [3, 'This object is not closed on its line.'],
      [4, { a: 4 }],
      [5, 'This is not a JSON object.'],
      [6, { a: 6 }],
      [7, 'The file ends within this object.'],
    ]);
  });

  test('gives up an object that never ends, once, and goes on at the next that begins like it', async () => {
    const endless = `{\n  "a": "${'x'.repeat(1_100_000)}\n  more\n}\n`;
    const records = await read(`${endless}{\n  "b": 1\n}\n`, 'evtx', 60_000);
    expect(records.map(({ line, text, fault }) => [line, text ?? fault])).toEqual([
      [1, expect.stringContaining('longer than 1048576 characters')],
      [5, '{\n  "b": 1\n}'],
    ]);
  });

  test('finds nothing in an empty file', async () => {
    expect(await read('')).toEqual([]);
    expect(await read(' \n[ ]\n')).toEqual([]);
  });
});

describe('CSV', () => {
  test('reads quoted cells, line breaks in them, and the separator of the header', async () => {
    const content = 'time;user;note\r\n1;"a;b";"two\nlines ""q"""\r\n\r\n2;c\r\n';
    const expected = [
      [2, { time: '1', user: 'a;b', note: 'two\nlines "q"' }],
      [5, { time: '2', user: 'c' }],
    ];
    expect(values(await read(content, 'csv'))).toEqual(expected);
    expect(values(await read(`\uFEFF${content}`, 'csv', 4))).toEqual(expected);
  });

  test('names rows with too many cells, and a quote that isn’t closed', async () => {
    const records = await read('a,b\n1,2,3\n4,5\n"6,7\n', 'csv');
    expect(values(records)).toEqual([
      [2, 'This row has 3 cells, but the header has 2.'],
      [3, { a: '4', b: '5' }],
      [4, 'A quote isn’t closed.'],
    ]);
  });

  test('goes on behind the line of a quote that isn’t closed within the limit', async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => `${at},row`).join('\n');
    const records = await read(`a,b\n"broken,1\n${rows}\n`, 'csv', 65_536);
    expect(records[0]).toMatchObject({ line: 2, fault: expect.stringContaining('isn’t closed') });
    expect(records).toHaveLength(200_001);
    expect(records.at(-1)).toMatchObject({ line: 200_002, row: { a: '199999' } });
  });

  test('numbers doubled and empty columns, and keeps hostile names as own members', async () => {
    const [record] = await read('a,a,,__proto__\n1,2,3,4\n', 'csv');
    expect(Object.entries(record?.row ?? {})).toEqual([
      ['a', '1'],
      ['a_2', '2'],
      ['column3', '3'],
      ['__proto__', '4'],
    ]);
  });
});
