import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CorruptBlockError } from './block.format.ts';
import { Block } from './block.read.ts';
import { type BlockEvent, encodeBlock } from './block.write.ts';
import { valueAt } from './fields.ts';

const now = Date.UTC(2026, 10, 26);
const eventOf = (document: Record<string, unknown>, more: Partial<BlockEvent> = {}): BlockEvent => ({
  id: randomUUID(),
  at: now,
  receivedAt: now,
  clockSkew: 0,
  shape: 'ecs',
  text: 'a line',
  document,
  ...more,
});

async function read(events: readonly BlockEvent[]) {
  const { body } = await encodeBlock(events);
  const block = new Block(body);
  const [heads, documents] = [await block.heads(), await block.documents()];
  return events.map((_, index) => ({
    at: heads.at[index],
    receivedAt: heads.receivedAt[index],
    clockSkew: heads.clockSkew[index],
    shape: heads.shape[index],
    deviceName: heads.deviceName[index],
    userName: heads.userName[index],
    text: heads.text[index],
    document: documents.text(index),
  }));
}

const written = ({ id: _, deviceName = null, userName = null, document, ...rest }: BlockEvent) => ({
  ...rest,
  deviceName,
  userName,
  document: JSON.stringify(document),
});

const deep = (depth: number): unknown => (depth === 0 ? 'x' : { a: [deep(depth - 1)] });
const hostile: [string, Record<string, unknown>][] = [
  ['NUL and control characters', { a: '\0\x01\x02\x03\n', '\0': '\x01', b: ['\x02', '\x01', '\x03'] }],
  ['unpaired surrogates', { a: '\ud800', b: '\udc00\n: \ud800\nx\ud800', '\udfff': 1 }],
  ['numbers beyond 64 bits', { a: 1e308, b: -0, c: 2 ** 90, d: 5e-324, e: Number.MAX_SAFE_INTEGER }],
  ['1,000 fields', Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, i % 3 ? `v${i}` : i]))],
  ['5,000 fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, `v${i}`]))],
  ['20 levels', { a: deep(20) }],
  ['200 levels', { a: deep(200) }],
  ['a value of 256 KiB', { a: 'x"\\\n'.repeat(65_536) }],
  ['empty containers', { a: {}, b: [], c: [{}, []], d: null, e: '', '': { '': '' } }],
  ['names of prototypes', JSON.parse('{"__proto__":{"a":1},"constructor":"x","toString":[1]}')],
  [
    'messages of labelled lines',
    { message: 'Process Create:\nRuleName: -\nImage: C:\\a.exe\nImage: b\n: x\n', image: 'C:\\a.exe' },
  ],
  ['times', { a: '2026-11-26T00:00:00.000Z', b: '0001-01-01T00:00:00.000Z', c: '2026-02-31T00:00:00.000Z' }],
];

describe('a block', () => {
  test.each(hostile)('returns %s as written', async (_, document) => {
    const events = [eventOf({ plain: 1 }), eventOf(document), eventOf(document, { at: now + 5 }), eventOf({ plain: 'x' })];
    expect(await read(events)).toEqual(events.map(written));
  });

  test('returns any events as written', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('a: b\nc: d\ne', 'same value', 'a line'));
    const document = fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: 'binary', maxLength: 5 })),
      fc.oneof(
        text,
        fc.jsonValue(),
        fc.array(text, { maxLength: 3 }),
        fc.date({ noInvalidDate: true }).map((at) => JSON.parse(JSON.stringify(at)) as string),
      ),
    );
    const event = fc
      .record({
        document,
        text,
        deviceName: fc.option(text),
        userName: fc.option(text, { nil: undefined }),
        at: fc.integer({ min: -(10 ** 12), max: 4 * 10 ** 12 }),
        receivedAt: fc.integer({ min: 0, max: 4 * 10 ** 12 }),
        clockSkew: fc.constantFrom(-1, 0, 1),
      })
      .map(({ document: made, ...more }) => eventOf(made, more));
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (events) => {
        expect(await read(events)).toEqual(events.map(written));
      }),
      { numRuns: 100 },
    );
  });

  const stringAt = (document: unknown) => {
    const value = valueAt(document, 'source', 'ip');
    return typeof value === 'string' ? value : undefined;
  };

  test('returns the values of one field as the documents have them', async () => {
    const address = fc.oneof(
      fc.constantFrom('10.0.0.1', 'a line', '', 'é"\\', 'one: a\ntwo: b\nthree'),
      fc.constant(7),
      fc.constant(null),
      fc.constant(['10.0.0.1']),
    );
    const document = fc.record(
      {
        host: fc.record({ ip: address }, { requiredKeys: [] }),
        source: fc.oneof(fc.record({ ip: address, port: address }), address),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 300 }), async (made) => {
        const events = made.map((each, index) => eventOf(each, { at: now + index }));
        const block = new Block((await encodeBlock(events)).body);
        expect(await block.column(['source', 'ip'])).toEqual(events.map((event) => stringAt(event.document)));
        const documents = await block.documents();
        for (const index of [events.length - 1, 0, events.length >> 1])
          expect(documents.text(index)).toBe(JSON.stringify(events[index]!.document));
      }),
      { numRuns: 100 },
    );
  });

  test('names every event that a text occurs in', async () => {
    const values = [
      'alpha beta',
      'C:\\Windows\\x.exe',
      '10.0.0.1',
      '2026-11-26T00:00:00.123Z',
      'Label: value one\nOther: 10.0.0.1\nlast',
      'é東京',
    ];
    const needles = ['alpha', 'a b', 'windows', '10.0.0.1', '26t00', '123z', 'label: value', 'other:', ': value', 'last', '2026'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...values)), { minLength: 1, maxLength: 20 }),
        async (made) => {
          const events = made.map((document, index) => eventOf(document, { at: now + index }));
          const documents = await new Block((await encodeBlock(events)).body).documents();
          for (const needle of needles) {
            const found = documents.candidates(needle);
            for (const [index, { document }] of events.entries()) {
              const isIn = JSON.stringify(document).toLowerCase().includes(needle);
              if (isIn) expect([needle, index, found[index]]).toEqual([needle, index, 1]);
            }
          }
          expect([...documents.candidates('no such text')]).toEqual(events.map(() => 0));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('rejects changed bytes by name, or reads them as written', async () => {
    const events = Array.from({ length: 20 }, (_, index) => eventOf({ n: index, name: `value ${index}` }));
    const { body } = await encodeBlock(events);
    let rejected = 0;
    for (let at = 0; at < body.length; at += 7) {
      const changed = Buffer.from(body);
      changed[at] = changed[at]! ^ 0xff;
      try {
        const block = new Block(changed);
        const [heads, documents] = [await block.heads(), await block.documents()];
        for (let index = 0; index < events.length; index++)
          expect(documents.text(index)).toBe(JSON.stringify(events[index]!.document));
        expect(heads.text).toHaveLength(20);
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptBlockError);
        rejected++;
      }
    }
    expect(rejected).toBeGreaterThan((body.length / 7) * 0.9);
    expect(() => new Block(Buffer.alloc(0))).toThrow(CorruptBlockError);
    expect(() => new Block(body.subarray(0, 3))).toThrow(CorruptBlockError);
  });
});
