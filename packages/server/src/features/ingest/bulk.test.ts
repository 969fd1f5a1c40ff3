import { type Block, blockParts } from '@parapet/agent/bulk.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../agent/test/lines.ts';
import { readBulk } from './bulk.ts';

const read = (text: string, index = 'logs') => [...readBulk(Buffer.from(text), index)];

describe('readBulk', () => {
  test('reads index and id from the action, or the index from the address', () => {
    expect(read('{"create":{"_index":"a","_id":"1"}}\n{"x":1}\n{"index":{}}\n{"x":2}\n')).toEqual([
      { kind: 'event', action: 'create', arrival: { raw: '{"x":1}', index: 'a', documentId: '1' } },
      { kind: 'event', action: 'index', arrival: { raw: '{"x":2}', index: 'logs', documentId: undefined } },
    ]);
  });

  test('accepts blank lines between pairs, CRLF, and a missing final newline', () => {
    const plain = read('{"create":{}}\n{"x":1}\n{"create":{}}\n{"x":2}\n');
    expect(read('\n\n{"create":{}}\r\n{"x":1}\r\n \n{"create":{}}\n\n{"x":2}')).toEqual(plain);
  });

  test('fails a malformed line alone', () => {
    const items = read('{"create":{}}\n{"x":1}\nnonsense\n{"create":{}}\n{"x":2}\n');
    expect(items.map((item) => item.kind)).toEqual(['event', 'fault', 'event']);
  });

  test('passes a broken document to the pipeline in its place', () => {
    expect(read('{"create":{}}\n{"x":\n{"create":{}}\n{"x":2}\n').map((item) => item.kind)).toEqual(['event', 'event']);
  });

  test('skips a leading byte-order mark', () => {
    expect(read('\ufeff{"create":{}}\n{"x":1}\n')).toEqual(read('{"create":{}}\n{"x":1}\n'));
  });

  test('distinguishes long ids that differ only near the end', () => {
    const [one, other] = ['1', '2'].map((last) => {
      const [item] = read(`{"create":{"_id":"${'a'.repeat(100_000)}${last}"}}\n{"x":1}\n`);
      return item?.kind === 'event' ? item.arrival.documentId : undefined;
    });
    expect(one).toHaveLength(64);
    expect(other).toHaveLength(64);
    expect(one).not.toBe(other);
  });

  test('rejects delete and update without losing alignment', () => {
    const items = read('{"delete":{"_id":"1"}}\n{"update":{"_id":"1"}}\n{"doc":{}}\n{"create":{}}\n{"x":2}\n');
    expect(items.map((item) => (item.kind === 'fault' ? item.reason : item.kind))).toEqual([
      'unknown-action',
      'unknown-action',
      'event',
    ]);
  });

  test('rejects an action without a document, and an oversized document', () => {
    expect(read('{"create":{}}\n')).toMatchObject([{ kind: 'fault', text: 'The action has no document after it.' }]);
    expect(read(`{"create":{}}\n{"x":"${'y'.repeat(300_000)}"}\n{"create":{}}\n{"x":2}\n`).map((item) => item.kind)).toEqual([
      'fault',
      'event',
    ]);
  });

  test.each(['[]', '"create"', 'null', '{"create":1}', '{"create":{},"index":{}}', '{"_index":"x"}', '{}'])(
    'rejects %s as an action',
    (line) => {
      expect(read(`${line}\n`)).toMatchObject([{ kind: 'fault', reason: 'not-json' }]);
    },
  );
});

test('finds every event in any mixture of good pairs without throwing', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => Array.isArray([...readBulk(Buffer.from(bytes), '')])));
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 20 }), (documents) => {
      const lines = documents.map((document) => JSON.stringify(document));
      const items = read(lines.map((line) => `{"create":{}}\n${line}`).join('\n'));
      expect(items.map((item) => item.kind === 'event' && item.arrival.raw)).toEqual(lines);
    }),
  );
});

describe('lines of an agent’s files', () => {
  const event = { '@timestamp': '2026-01-01T00:00:00.000Z', host: { name: 'h' }, log: { file: { path: '/var/log/auth.log' } } };
  const blockOf = (bytes: Buffer): Block => ({ stream: 'st_1-x', offset: 36, bytes, count: 0, isCut: false });
  const bodyOf = (bytes: Buffer, shared: Record<string, unknown> = event) => Buffer.concat(blockParts(blockOf(bytes), shared));
  const documents = (body: Buffer) =>
    [...readBulk(body, '', true)].map((item) =>
      item.kind === 'event' ? { id: item.arrival.documentId, ...JSON.parse(item.arrival.raw as string) } : item.reason,
    );

  test('become events of the shared part, the position and the text', () => {
    const pair = Buffer.from('{"create":{"_id":"j"}}\n{"x":1}\n');
    const lines = Buffer.from('one "quoted"\n\ntwo\r\n');
    expect(documents(Buffer.concat([pair, bodyOf(lines), pair]))).toEqual([
      { id: 'j', x: 1 },
      { id: 'st_1-x-10', ...event, log: { ...event.log, offset: 36 }, message: 'one "quoted"' },
      { id: 'st_1-x-1e', ...event, log: { ...event.log, offset: 50 }, message: 'two' },
      { id: 'j', x: 1 },
    ]);
  });

  test('override a shared part’s position and text', () => {
    const [one, other] = [{}, { message: 'no', log: { offset: 'no', flags: ['truncated'] }, __proto__x: [1, '}'] }];
    expect(documents(bodyOf(Buffer.from('a\n'), one))).toEqual([{ id: 'st_1-x-10', log: { offset: 36 }, message: 'a' }]);
    expect(documents(bodyOf(Buffer.from('a\n'), other))).toEqual([
      { id: 'st_1-x-10', message: 'a', log: { flags: ['truncated'], offset: 36 }, __proto__x: [1, '}'] },
    ]);
  });

  test('split identically on agent and portal for any bytes', () => {
    const byte = fc.oneof(fc.constantFrom(10, 13, 34, 92, 0), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 200 }), (list) => {
        const bytes = Buffer.from(list);
        expect(documents(bodyOf(bytes)).map(({ id, message }) => ({ id, text: message }))).toEqual(
          linesOf(blockOf(bytes)).map(({ id, text }) => ({ id, text })),
        );
      }),
    );
  });

  test('report a truncated block as one error', () => {
    const body = bodyOf(Buffer.from('{"create":{}}\n{"x":1}\n'));
    for (const torn of [body.subarray(0, -1), Buffer.from(body.toString().replace('"stream":"st_1-x"', '"stream":"a b"'))])
      expect(documents(torn)).toEqual(['not-json']);
    expect(documents(bodyOf(Buffer.from('a\n'), { shared: 'x'.repeat(5_000) }))).toEqual(['not-json']);
  });

  test('require an agent', () => {
    expect([...readBulk(bodyOf(Buffer.from('a\n')), '')].map(({ kind }) => kind)).not.toContain('event');
  });
});
