import { expect, test } from 'vitest';
import type { Document } from '../../event.ts';
import { unwrapRecord } from './wrapped.ts';

const record = {
  eventVersion: '1.11',
  eventSource: 'iam.amazonaws.com',
  eventName: 'CreateUser',
  userIdentity: { type: 'Root' },
};
const wrapped = (message: string, more: Document = {}): Document => ({ event: { dataset: 'aws.cloudtrail' }, message, ...more });

test('keeps the fields of the shipper and every prototype', () => {
  const document = wrapped(JSON.stringify(record).replace('{', '{"__proto__":{"polluted":true},"tags":["theirs"],'), {
    tags: ['ours'],
  });
  expect(unwrapRecord(document)).toBe(true);
  expect(document).toMatchObject({ eventName: 'CreateUser', tags: ['ours'] });
  expect((document as { polluted?: boolean }).polluted).toBeUndefined();
});

test.each([
  ['broken JSON', wrapped('{"eventVersion":')],
  ['a record of no known service', wrapped('{"a":1}')],
  [
    'more fields than documents have',
    wrapped(JSON.stringify({ ...record, ...Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, n])) })),
  ],
  ['a line of another dataset', { event: { dataset: 'system.syslog' }, message: JSON.stringify(record) }],
])('leaves %s as it is', (_name, document) => {
  const before = structuredClone(document);
  expect(unwrapRecord(document)).toBe(false);
  expect(document).toEqual(before);
});
