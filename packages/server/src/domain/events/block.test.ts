import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Documents } from './block.documents.ts';
import { CorruptBlockError } from './block.format.ts';
import { LayoutViews } from './block.objects.ts';
import { Block } from './block.read.ts';
import { type BlockEvent, encodeBlock } from './block.write.ts';
import { idsOf } from './eventIds.ts';
import { valueAt } from './fields.ts';
import { positionsPerToken, tokenHashes } from './tokens.ts';

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

const blockOf = async (events: readonly BlockEvent[]) => new Block((await encodeBlock(events)).body, idsOf(events));

/** The document made of values alone, with its names in their order, against that of the text. */
function expectView(documents: Documents, event: number): void {
  const [view, parsed] = [documents.view(event), JSON.parse(documents.text(event)) as unknown];
  // An assertion on each of so many takes most of the time.
  if (isDeepStrictEqual(view, parsed) && JSON.stringify(view) === JSON.stringify(parsed)) return;
  expect(view).toStrictEqual(parsed);
  expect(JSON.stringify(view)).toBe(JSON.stringify(parsed));
}

async function read(events: readonly BlockEvent[]) {
  const block = await blockOf(events);
  const [heads, documents] = [await block.heads(), await block.documents()];
  for (const index of events.keys()) expectView(documents, index);
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

/** The condition of blockRows.ts on a filter. */
const mayHave = (tokens: Buffer, word: string): boolean => {
  const [first, second] = tokenHashes(word);
  return Array.from({ length: positionsPerToken }, (_, n) => (first + n * second) % (8 * tokens.length)).every(
    (bit) => (tokens[bit >>> 3]! >> (bit & 7)) & 1,
  );
};

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
  [
    'hashes in pairs',
    { a: `MD5=${'0a'.repeat(16)},SHA256=${'F'.repeat(64)}`, b: 'MD5=0,X=1', c: '0a'.repeat(16), d: 'F'.repeat(64) },
  ],
  ['a message with tabs', { message: 'Logon:\n\tSid:\t\tS-1-5-18\n\tName:\tann: x\n::\t\n:\t' }],
  ['marks alone', { a: '\x04', b: '\x05', c: ['\x05\x05', '\x04', '{0123abcd-\x05}'] }],
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

  test('views documents of one layout in any order, of several blocks, and beside their texts', async () => {
    const documents = Array.from({ length: 40 }, (_, n) => {
      const list = [n % 2, `"${n}"`, 'x', { inner: [`${n % 7}`], ['__proto__']: n }];
      const fixed = n < 20 ? 'always' : 'of the second block';
      const shared = { path: `C:\\a\\${n % 3}.exe`, list, same: `C:\\a\\${n % 3}.exe`, fixed };
      const lines = { message: `Logon:\nImage: ${shared.path}\nName:\t"${n % 4}"\n`, at: new Date(now + n).toISOString() };
      return JSON.parse(`{"__proto__":${JSON.stringify(`p${n % 5}`)},"inner":${JSON.stringify({ ...shared, ...lines })}}`);
    });
    const layouts = new LayoutViews();
    const blocks = await Promise.all(
      [documents.slice(0, 20), documents.slice(20)].map(async (own) =>
        (await blockOf(own.map((document) => eventOf(document)))).documents(layouts),
      ),
    );
    for (const block of blocks) expect(block.parts().skeletons.length).toBe(1);
    const [first] = blocks;
    for (let step = 0; step < 200; step++) {
      const event = (step * 17) % documents.length;
      const block = blocks[Math.floor(event / 20)]!;
      const view = block.view(event % 20);
      block.text((event + 1) % 20);
      expect(view).toStrictEqual(documents[event]);
      expect(view).toBe(first!.view(0));
    }
  });

  test('returns values that the layout, the device or the form of a hash determines as written', async () => {
    const hex = fc.stringMatching(/^[\da-f]{32}$/);
    const guid = fc.uuid().chain((id) => fc.constantFrom(`{${id}}`, `{${id.toUpperCase()}}`, id.replaceAll('-', '')));
    const device = fc.constantFrom('WS-1', 'WS-2', 'é', '', null);
    const made = fc.record({
      device,
      layout: fc.constantFrom('a', 'b'),
      other: fc.oneof(
        { weight: 9, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
      ),
      hash: fc.oneof(
        { weight: 12, arbitrary: hex },
        { weight: 1, arbitrary: guid },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
      ),
      guid,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 30, maxLength: 200 }), async (all) => {
        const events = all.map(({ device: name, layout, other, hash, guid: id }, n) =>
          eventOf(
            {
              agent: { id: `agent of ${name}${other}`, at: '2026-11-26T00:00:00.000Z' },
              [layout]: { code: `${layout} ${other}`, action: layout },
              file: { hash: { md5: hash }, all: `MD5=${hash},SHA256=${hash}${hash}` },
              source: { ip: `${layout}${other}` },
              id,
            },
            { deviceName: name, at: now + n },
          ),
        );
        expect(await read(events)).toEqual(events.map(written));
        const block = await blockOf(events);
        expect(await block.column(['agent', 'id'])).toEqual(events.map(({ document }) => valueAt(document, 'agent', 'id')));
        const documents = await block.documents();
        // The newest first, as a page of a search reads them.
        for (let index = events.length - 1; index >= 0; index--)
          expect(documents.text(index)).toBe(JSON.stringify(events[index]!.document));
        for (const needle of [
          'ws-1',
          'agent of é',
          'a ',
          all[0]!.hash.toLowerCase(),
          'md5=',
          `256=${all[0]!.hash}`.toLowerCase(),
        ]) {
          const shown = JSON.stringify(needle).slice(1, -1);
          const found = documents.candidates(shown);
          for (const [index, { document }] of events.entries())
            if (/^[ -~]*$/.test(needle) && JSON.stringify(document).toLowerCase().includes(shown))
              expect([needle, index, found[index]]).toEqual([needle, index, 1]);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test('reads blocks of the first version', async () => {
    const body = Buffer.from(
      'AQZgKLUv/SSlnQIAlAMXbXd3c2QxYzAKcnMRMTQKCzAKMRdlY3MKFAMKV1MtMQoXYW5uCilsaW5lIDAKMTIzNApsaW5lIDUKAGAIGAeGqVxxlzyVI+4SzBEOyFnOJQFLsnWsKLUv/WSQAX0HAOLMLi9ga9MBMAzDMAzDMBz07+awZzH/kH+Ft1pESgdAL8UR3YQUt1cqYzh2i/1utLvJFMwPScayaEmkIiY8EA6oSYogK1ANENQkRbAx2oCjZVWQqq/YGAg0Z0cumAhdWCAxsdROK220cHn1EfxpBgPFBf7enzveuHP39ubq0L+z6w+1PazsYWbOWE61AsAUqmZTZnRoMAdVPYnywWHuzPUkztnSabRltDTWrnmhtKtFm17IeM2WlWthmQ7oHxAUANqLA1WoUgtY1ws3pChgJjK4BzYDW8A+sJnL0PlMtFLpVm6DPQsAowFqcXEVDGYUdvqsvA==',
      'base64',
    );
    const block = new Block(body, Buffer.alloc(0));
    const [heads, documents] = [await block.heads(), await block.documents()];
    for (let n = 0; n < 6; n++) {
      expect([heads.deviceName[n], heads.text[n], heads.at[n]]).toEqual([n % 2 ? 'WS-1' : null, `line ${n}`, now + n * 1_000]);
      expect(documents.text(n)).toBe(
        JSON.stringify({
          '@timestamp': new Date(now + n * 1_000).toISOString(),
          n,
          host: { name: 'WS-1' },
          message: `Process Create:\nImage: C:\\a${n}.exe\nHashes: MD5=0123456789abcdef0123456789abcdef`,
          image: `C:\\a${n}.exe`,
          '\0': ['\ud800', n],
        }),
      );
    }
    expect(await block.column(['image'])).toEqual(Array.from({ length: 6 }, (_, n) => `C:\\a${n}.exe`));
    expect([...documents.candidates('a3.exe')]).toEqual([0, 0, 0, 1, 0, 0]);
  });

  test('reads blocks of the second version', async () => {
    const body = Buffer.from(
      'AgZrKLUv/SSf9QIAokQRGHDFOoQy0K76UWolAADxNiG8dgjV7VAYEAt1dO+KifRFHd0Tbs7TYBw3wWVr/Z7F/AngK1A96fWCsW+AqVy+LSFyTqgBCQBgCBgHhqncmCucyhF36Z0rsJyjAw72B3EotS/9ZKEAJQcAsgsqLJA36f8PdbfV/9KLEBoN0M/AllX2fxOruftwiVRm1iZTJzzckoCgNbu33DIFGczF0tyuGXqhW0sYmcFcLBQJIyOQh4NxBA88bTIpQMhlToLCRhayj3Us24c5aVnapxG4qFKBaW0uZzUo1zwIeCPQvPniiq+r6zOR6em/Pn/uBt/SZNggpYoYOTSoJ5QqHceIG3oLVfeSaoQYgtfzAbYYMXzRYDUb+QMEHAAgC8gHMgNZQD6QGcgC8oHMVpKCJgAegAxAAfC6YAjogYoBwIjcRpAxSpuKZUFWQFaQIKUZAgMzs75Ofw==',
      'base64',
    );
    const block = new Block(body, Buffer.alloc(0));
    const [heads, documents] = [await block.heads(), await block.documents()];
    for (let n = 0; n < 6; n++) {
      const [id, ingested] = [`0123456${n}-89ab-cdef-0123-456789abcdef`, now + 9_000 + (n % 2)];
      expect([heads.deviceName[n], heads.receivedAt[n]]).toEqual([n % 2 ? 'WS-1' : null, ingested]);
      expect(documents.text(n)).toBe(
        JSON.stringify({
          '@timestamp': new Date(now + n * 1_000).toISOString(),
          event: { id, ingested: new Date(ingested).toISOString() },
          n,
          host: { name: 'WS-1' },
          image: `C:\\a${n}.exe`,
        }),
      );
    }
  });

  test('stores ids and times of arrival once, and finds them', async () => {
    const made = fc.record({
      own: fc.constantFrom('same', 'upper', 'other', 'none'),
      arrival: fc.nat(3),
      other: fc.uuid(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 60 }), async (all) => {
        const events = all.map(({ own, arrival, other }, n) => {
          const [id, receivedAt] = [randomUUID(), now + 9_000 + arrival];
          const given = { same: id, upper: id.toUpperCase(), other, none: undefined }[own];
          const event = { ...(given !== undefined && { id: given }), ingested: new Date(receivedAt).toISOString() };
          return eventOf({ event, n }, { id, receivedAt, at: now + n });
        });
        expect(await read(events)).toEqual(events.map(written));
        const [block, { tokens }] = [await blockOf(events), await encodeBlock(events)];
        const texts = events.map(({ document }) => JSON.stringify(document).toLowerCase());
        expect(await block.column(['event', 'id'])).toEqual(events.map(({ document }) => valueAt(document, 'event', 'id')));
        const documents = await block.documents();
        for (const { id } of events.slice(0, 5))
          for (const needle of [id, id.slice(0, 8), id.slice(6, 16), id.slice(9, 13), '-', '09.00', '2026-11-26t00:00:09']) {
            const found = documents.candidates(needle);
            for (const [index, text] of texts.entries())
              if (text.includes(needle)) expect([needle, index, found[index]]).toEqual([needle, index, 1]);
          }
        for (const { document } of events)
          for (const word of `${valueAt(document, 'event', 'id')} ${valueAt(document, 'event', 'ingested')}`.match(
            /[\da-z]{3,}/gi,
          ) ?? [])
            if (word !== 'undefined') expect([word, mayHave(tokens, word.toLowerCase())]).toEqual([word, true]);
      }),
      { numRuns: 60 },
    );
    const many = Array.from({ length: 500 }, (_, n) => eventOf({ n }, { at: now + n }));
    const sizeOf = async (events: readonly BlockEvent[]) => (await encodeBlock(events)).body.length;
    const named = many.map((event) => ({ ...event, document: { ...event.document, event: { id: event.id } } }));
    expect((await sizeOf(named)) - (await sizeOf(many))).toBeLessThan(200);
  }, 60_000);

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
        const block = await blockOf(events);
        expect(await block.column(['source', 'ip'])).toEqual(events.map((event) => stringAt(event.document)));
        const documents = await block.documents();
        for (const index of [events.length - 1, 0, events.length >> 1])
          expect(documents.text(index)).toBe(JSON.stringify(events[index]!.document));
        // Few of a block forwards and backwards, then all.
        for (const index of Array.from({ length: 40 }, (_, n) => (n * 7_919) % events.length).concat([...events.keys()]))
          expectView(documents, index);
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
      'Logon:\n\tSid:\t\tS-1-5-18\n\tName:\tann',
      `MD5=${'0a'.repeat(16)},SHA256=${'bc'.repeat(32)}`,
    ];
    const needles = [
      'alpha',
      'a b',
      'windows',
      '10.0.0.1',
      '26t00',
      '123z',
      'label: value',
      'other:',
      ': value',
      'last',
      '2026',
      'sid:\\t',
      '\\t\\ts-1',
      'name:\\tann',
      'a,sha256=bc',
      '=0a0a',
      'bcbc',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...values)), { minLength: 1, maxLength: 20 }),
        async (made) => {
          const events = made.map((document, index) => eventOf(document, { at: now + index }));
          const documents = await (await blockOf(events)).documents();
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
        const block = new Block(changed, idsOf(events));
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
    expect(() => new Block(Buffer.alloc(0), Buffer.alloc(0))).toThrow(CorruptBlockError);
    expect(() => new Block(body.subarray(0, 3), Buffer.alloc(0))).toThrow(CorruptBlockError);
  });
});
