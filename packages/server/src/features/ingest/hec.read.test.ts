import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countEvents, countLines, readEvents, readLines } from './hec.read.ts';

const context = { receivedAt: Date.UTC(2026, 10, 26), requestId: 'r' };
const read = (text: string | Buffer) => [...readEvents(Buffer.from(text), context)];
const messages = (text: string) =>
  read(text).map((item) => (item.kind === 'event' ? (item.arrival.raw as { message: unknown }).message : item.reason));

describe('readEvents', () => {
  test('finds every event, whatever separates them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom('', ' ', '\n', '\r\n\t')), {
          minLength: 1,
          maxLength: 20,
        }),
        (events) => {
          const lines = events.map(([text]) => `x${text}x`);
          const body = lines.map((event, i) => JSON.stringify({ event, i }) + events[i]?.[1]).join('');
          expect(messages(body)).toEqual(lines);
          expect(countEvents(Buffer.from(body))).toBe(lines.length);
        },
      ),
    );
  });

  test('continues behind an object that does not end', () => {
    expect(messages('{"event":"a"}\n{"event":{"b":\n{"event":"c"}{"event":"d"}\n{"event":\n{"event":"e"}')).toEqual([
      'a',
      'not-json',
      'c',
      'd',
      'not-json',
      'e',
    ]);
  });

  test('counts as many items as it reads, in bounded time, for any bytes', () => {
    const piece = fc.constantFrom('{', '}', '[', '"', '\\', '\n', '{"event":"x"}', ' ', 'a');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const body = Buffer.from(pieces.join(''));
        expect(read(body)).toHaveLength(countEvents(body));
      }),
    );
    for (const text of ['{\n', '{"a":"\n', '[\n', '\n', '{}', '{"event":1}\n{', '"{\n']) {
      const started = process.cpuUsage();
      countEvents(Buffer.from(text.repeat(5_000_000 / text.length)));
      expect(process.cpuUsage(started).user / 1_000).toBeLessThan(3_000);
    }
  });

  test('reads epoch times with all their decimals', () => {
    const timeOf = (time: unknown) => {
      const [item] = read(JSON.stringify({ event: 'x', time }));
      return item?.kind === 'event' ? (item.arrival.raw as Record<string, unknown>)['@timestamp'] : item?.reason;
    };
    expect(timeOf(1_795_000_000)).toBe('2026-11-18T11:06:40.000Z');
    expect(timeOf('1795000000.123456789')).toBe('2026-11-18T11:06:40.123456789Z');
    expect(timeOf(1_795_000_000.5)).toBe('2026-11-18T11:06:40.500Z');
    for (const wrong of [-1, '12:00', 1e15, true, []]) expect(timeOf(wrong)).toBe('not-json');
  });
});

test('readLines reads a Windows event in XML over its lines, and none without an end', () => {
  const event = "<Event xmlns='x'><System/><EventData><Data>a\nb</Data></EventData></Event>";
  const body = Buffer.from(`${event}\nplain\n${event}${event}\n<Event without\nend`);
  const messages = [...readLines(body, {}, context)].map(
    (item) => item.kind === 'event' && (item.arrival.raw as { message: unknown }).message,
  );
  expect(messages).toEqual([event, 'plain', event, event, '<Event without', 'end']);
});

test('readLines takes no line for XML that is none, and no line into an event behind it', () => {
  const event = "<Event xmlns='x'><System/>\n</Event>";
  const body = Buffer.from(`<Event a\nlogon\n${event}\n<Event a><b>\nother\n</Event>\nlast`);
  const messages = [...readLines(body, {}, context)].map(
    (item) => item.kind === 'event' && (item.arrival.raw as { message: unknown }).message,
  );
  expect(messages).toEqual(['<Event a', 'logon', event, '<Event a><b>', 'other', '</Event>', 'last']);
});

test('readLines reads each line that is not empty', () => {
  const body = Buffer.from('\ufeffa\n\r\n b \n');
  expect([...readLines(body, {}, context)].map((item) => item.kind === 'event' && item.arrival)).toEqual([
    { raw: { message: 'a' }, index: 'hec', documentId: 'r-0' },
    { raw: { message: ' b' }, index: 'hec', documentId: 'r-1' },
  ]);
  expect(countLines(body)).toBe(4);
});
