/** CloudTrail's files read from an S3 server, announced by a queue; the keys are those that URLs and forms write differently. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cloudtrail } from '@parapet/connectors/cloudtrail.ts';
import { systemClock } from '@parapet/contract/rules/clock.ts';
// @ts-expect-error it brings no types
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, test } from 'vitest';

const queue = 'https://sqs.eu-central-1.amazonaws.com/420000000017/portal';
let folder: string;
let s3: { run(): Promise<AddressInfo>; close(): Promise<void> };
let endpoint: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-trail-'));
  const configureBuckets = [{ name: 'trail' }];
  s3 = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder, configureBuckets });
  endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

/** The role's session and the queue; everything else is the S3 server's. */
function accountOf(objects: readonly string[]) {
  const deleted: string[] = [];
  const values = {
    queue,
    region: 'us-east-1',
    role: 'arn:aws:iam::420000000017:role/reader',
    externalId: 'portal-test-1',
    keyId: 'AKIADEMODEMODEMODEMO',
    secret: 'demoDemoDemoDemoDemoDemoDemoDemoDemoDemo',
    endpoints: endpoint,
  };
  const account = cloudtrail.open(
    values,
    async (url, init = {}) => {
      const body = String(init.body ?? '');
      if (body.includes('AssumeRole'))
        return new Response(
          `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>S3RVER</AccessKeyId><SecretAccessKey>S3RVER</SecretAccessKey><SessionToken>t</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
        );
      if (!url.startsWith(new URL(queue).origin)) return fetch(url, init);
      const target = new Headers(init.headers as Record<string, string>).get('x-amz-target');
      if (target === 'AmazonSQS.DeleteMessageBatch')
        deleted.push(
          ...(JSON.parse(body) as { Entries: { ReceiptHandle: string }[] }).Entries.map((entry) => entry.ReceiptHandle),
        );
      if (target !== 'AmazonSQS.ReceiveMessage') return Response.json({});
      const Messages = objects
        .filter((key) => !deleted.includes(key))
        .map((key) => ({ ReceiptHandle: key, Body: JSON.stringify({ s3Bucket: 'trail', s3ObjectKey: [key] }) }));
      return Response.json({ Messages });
    },
    systemClock,
  );
  return { account, deleted };
}

test('reads files of an S3 server by their keys, and leaves the message of one that is not there', async () => {
  const objects = ['AWSLogs/42/CloudTrail/a.json.gz', 'AWSLogs/42/name with space + plus (1).json.gz', 'AWSLogs/42/ü=%&.json.gz'];
  for (const [number, key] of objects.entries()) {
    const Records = [{ eventID: `e${number}`, eventTime: '2026-11-20T11:00:00Z' }];
    const url = `${endpoint}/trail/${key.split('/').map(encodeURIComponent).join('/')}`;
    const put = await fetch(url, { method: 'PUT', body: new Uint8Array(gzipSync(JSON.stringify({ Records }))) });
    expect(put.status).toBe(200);
  }
  const { account, deleted } = accountOf([...objects, 'AWSLogs/42/gone.json.gz']);
  const window = { from: Date.parse('2026-11-20T00:00:00Z'), to: Date.parse('2026-11-20T12:00:00Z') };
  const pulled = await account.pull(window, undefined);
  expect(pulled.events.map(({ id }) => id).sort()).toEqual(['e0', 'e1', 'e2']);
  expect(pulled.warning).toMatch(/gone\.json\.gz: AWS returned 404/);
  await pulled.acknowledge?.();
  expect(deleted.sort()).toEqual([...objects].sort());
});
