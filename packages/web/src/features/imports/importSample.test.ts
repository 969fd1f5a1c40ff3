import { describe, expect, test } from 'vitest';
import { beginningOf, formatOf, sampleOf } from './importSample.ts';

describe('formatOf', () => {
  test.each([
    ['log.csv', 'a,b\n1,2', 'csv'],
    ['export.txt', 'time;user\n1;2', 'csv'],
    ['x.json', 'Record 1\n{\n', 'evtx'],
    ['x.json', '[{"Id":4624,"LogName":"Security"}]', 'evtx'],
    ['x.jsonl', '{"Event":{"System":{"EventRecordID":1}}}', 'evtx'],
    ['x.jsonl', '{"message":"hi"}', 'ndjson'],
    ['x', '\uFEFF[{"message":"hi"}]', 'ndjson'],
  ])('reads %s beginning with %j as %s', (name, text, format) => {
    expect(formatOf(name, text)).toBe(format);
  });
});

describe('sampleOf', () => {
  test('shows the first records of rows and of lines', () => {
    expect(JSON.parse(sampleOf('a;b\n1;2\n3;4', 'csv'))).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
    expect(JSON.parse(sampleOf('{"a":1}\n{"a":2}\n{"a', 'ndjson'))).toEqual([{ a: 1 }, { a: 2 }]);
    expect(JSON.parse(sampleOf('[{"a":1}]', 'ndjson'))).toEqual([{ a: 1 }]);
    expect(sampleOf('nonsense', 'ndjson')).toBe('');
  });

  test('stays within the limit of the preview', () => {
    const lines = Array.from({ length: 5 }, () => JSON.stringify({ a: 'x'.repeat(40_000) })).join('\n');
    expect(JSON.parse(sampleOf(lines, 'ndjson'))).toHaveLength(2);
  });
});

test('beginningOf reads UTF-16 by its byte order mark', async () => {
  const text = '\uFEFF[{"ä":1}]';
  const bytes = new Uint8Array([...text].flatMap((each) => [each.charCodeAt(0) & 255, each.charCodeAt(0) >> 8]));
  expect(await beginningOf(new Blob([bytes]))).toContain('"ä"');
});
