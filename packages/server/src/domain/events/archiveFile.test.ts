import { randomUUID } from 'node:crypto';
import { parquetMetadata } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { type ArchivedEvent, CorruptArchiveError, encodeArchive, readArchive } from './archiveFile.ts';

const eventOf = (at: number, document: object, names: Partial<ArchivedEvent> = {}): ArchivedEvent => {
  const json = JSON.stringify(document);
  return {
    id: randomUUID(),
    at,
    receivedAt: at + 5,
    clockSkew: 0,
    shape: 'syslog',
    deviceName: null,
    userName: null,
    text: `at ${at}`,
    ...names,
    json,
    document: JSON.parse(json) as Record<string, unknown>,
  };
};
async function* groupsOf(...groups: ArchivedEvent[][]) {
  yield* groups;
}
const readAll = async (bytes: Buffer) => {
  const groups: ArchivedEvent[][] = [];
  for await (const events of readArchive(bytes)) groups.push(events);
  return groups.map((events) => events.map((event) => ({ ...event })));
};

describe('an archive file', () => {
  test('returns every event as it was, group by group', async () => {
    const hostile = { a: '\u0000\ud800 \u2028', n: 1.5, long: '9223372036854775808', deep: { list: [null, true, { x: '' }] } };
    const groups = [
      [eventOf(0, {}), eventOf(1_700_000_000_123, hostile, { deviceName: 'host', userName: 'ana\\"', text: 'ü\u0000 — 漢' })],
      Array.from({ length: 300 }, (_, index) => eventOf(1_700_000_100_000 + index, { index, text: 'x'.repeat(index) })),
    ];
    const { bytes, rows } = await encodeArchive(groupsOf(...groups));
    expect(rows).toBe(302);
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    expect(await readAll(bytes)).toEqual(groups);
    const { num_rows, row_groups } = parquetMetadata(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    );
    expect([Number(num_rows), row_groups.length]).toEqual([302, 2]);
  });

  test('returns the same times before 1970 and beyond 2262', async () => {
    const groups = [[eventOf(-62_000_000_000_000, {}), eventOf(30_000_000_000_000, {})]];
    expect(await readAll((await encodeArchive(groupsOf(...groups))).bytes)).toEqual(groups);
  });

  test('throws for changed and cut bytes', async () => {
    const { bytes } = await encodeArchive(
      groupsOf(Array.from({ length: 500 }, (_, at) => eventOf(at, { at, text: randomUUID() }))),
    );
    const changed = Buffer.from(bytes);
    changed.fill(0, 200, 3_000);
    await expect(readAll(changed)).rejects.toThrow(CorruptArchiveError);
    await expect(readAll(bytes.subarray(0, 500))).rejects.toThrow(CorruptArchiveError);
  });
});
