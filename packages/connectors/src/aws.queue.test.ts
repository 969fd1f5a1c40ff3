import { gzipSync } from 'node:zlib';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { describe, expect, test } from 'vitest';
import { cloudtrail } from './cloudtrail.ts';
import type { Connector } from './connector.ts';
import { guardduty } from './guardduty.ts';

const values = {
  queue: 'https://sqs.eu-central-1.amazonaws.com/420000000017/portal',
  region: 'eu-central-1',
  role: 'arn:aws:iam::420000000017:role/reader',
  externalId: 'portal-test-1',
  keyId: 'AKIADEMODEMODEMODEMO',
  secret: 'demoDemoDemoDemoDemoDemoDemoDemoDemoDemo',
  endpoints: 'amazonaws.com',
};
const session = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const [from, to] = [Date.parse('2026-11-20T00:00:00Z'), Date.parse('2026-11-20T12:00:00Z')];
const trail = (eventID: string) => gzipSync(JSON.stringify({ Records: [{ eventID, eventTime: '2026-11-20T11:00:00Z' }] }));
const forbidden = () => new Response('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>', { status: 403 });

/** A queue with a message for each file, which is forbidden where it has no bytes. */
function open(connector: Connector, files: Record<string, Buffer | undefined>) {
  const deleted: string[] = [];
  const account = connector.open(
    values,
    async (url, init = {}) => {
      const { host, pathname } = new URL(url);
      if (host.startsWith('sts.')) return new Response(session);
      if (host.startsWith('s3.')) {
        const bytes = files[decodeURIComponent(pathname).slice('/b/'.length)];
        return bytes ? new Response(new Uint8Array(bytes)) : forbidden();
      }
      const target = new Headers(init.headers as Record<string, string>).get('x-amz-target');
      if (target === 'AmazonSQS.DeleteMessageBatch') {
        const { Entries } = JSON.parse(String(init.body)) as { Entries: { ReceiptHandle: string }[] };
        deleted.push(...Entries.map(({ ReceiptHandle }) => ReceiptHandle));
      }
      if (target !== 'AmazonSQS.ReceiveMessage') return new Response('{}');
      const Messages = Object.keys(files)
        .filter((key) => !deleted.includes(key))
        .map((key) => ({ ReceiptHandle: key, Body: JSON.stringify({ s3Bucket: 'b', s3ObjectKey: [key] }) }));
      return Response.json({ Messages });
    },
    systemClock,
  );
  return { account, deleted };
}

describe('a queue of AWS', () => {
  test.each<[string, Buffer | undefined, RegExp]>([
    ['refused', undefined, /b\/bad: AWS returned 403: Access Denied/],
    ['damaged', trail('x').subarray(0, 30), /b\/bad: .*decompressed/],
    ['not JSON', Buffer.from('<html>'), /b\/bad: .*not JSON/],
  ])('is read on past a file that is %s, whose message stays', async (_name, bad, text) => {
    const files: Record<string, Buffer | undefined> = { bad, good: trail('e1') };
    const { account, deleted } = open(cloudtrail, files);
    const pulled = await account.pull({ from, to }, undefined);
    expect(pulled.events.map(({ id }) => id)).toEqual(['e1']);
    expect(pulled.warning).toMatch(text);
    await pulled.acknowledge?.();
    expect(deleted).toEqual(['good']);

    delete files.bad;
    const soon = await account.pull({ from, to: to + 60_000 }, pulled.nextCursor);
    expect(soon.warning).toBe(pulled.warning);
    expect((await account.pull({ from, to: to + 3_600_000 }, soon.nextCursor)).warning).toBeUndefined();
  });

  test('hands on a finding that is not JSON as it is, between the others', async () => {
    const lines = [JSON.stringify({ id: 'f1' }), '{"id": "f2', JSON.stringify({ id: 'f3' })].join('\n');
    const { account, deleted } = open(guardduty, { file: gzipSync(lines) });
    const pulled = await account.pull({ from, to }, undefined);
    expect(pulled.events.map(({ id, raw }) => id ?? raw)).toEqual(['f1', '{"id": "f2', 'f3']);
    expect(pulled.warning).toBeUndefined();
    await pulled.acknowledge?.();
    expect(deleted).toEqual(['file']);
  });
});
