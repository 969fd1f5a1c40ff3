/**
 * Durability of acknowledged events. A separate portal is killed as in a power cut while rsyslog and the Elasticsearch client keep
 * sending numbered lines; after a restart on the same folder each line is stored exactly once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import { expect, test } from '@playwright/test';
import { freePort } from '../packages/server/test/ports.ts';
import { eventsWith, signIn } from './api.ts';
import { ingestKey, newDataDir, type Portal, removeDir, startPortal } from './portal.ts';
import { startRsyslog, syslogTime } from './rsyslog.ts';

const env = { PORTAL_DEMO_SCALE: '0.01' };
/** Stored events are read in groups of 100: a response holds at most 200. */
const group = 100;
const padded = (number: number, digits: number) => String(number).padStart(digits, '0');
const nameOf = (source: string, number: number) => `${source}-${padded(Math.floor(number / group), 3)}-${padded(number, 6)}`;

const wanted = (source: string, count: number) => Array.from({ length: count }, (_, i) => nameOf(source, i));

/** 25 documents with ids of their own. */
function batchFrom(source: string, first: number): object[] {
  const at = new Date().toISOString();
  return Array.from({ length: 25 }, (_, i) => nameOf(source, first + i)).flatMap((name) => [
    { create: { _id: name } },
    { '@timestamp': at, host: { name: 'durable-02' }, message: `line ${name}` },
  ]);
}

/** A shipper without a response resends the batch under the same ids. */
async function shipUntilStored(client: Client, operations: object[], failed: () => void): Promise<void> {
  for (;;) {
    const answer = await client.bulk({ index: 'lines', operations }).catch(() => undefined);
    if (answer) return expect(answer.errors).toBe(false);
    failed();
    await pause(100);
  }
}

/** Names of the lines that the portal has. */
async function stored({ url }: Portal, token: string, source: string, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let first = 0; first < count; first += group) {
    const prefix = `${source}-${padded(first / group, 3)}-`;
    for (const event of await eventsWith(url, token, 10, prefix)) names.push(/line (\S+)/.exec(event.text)?.[1] ?? event.text);
  }
  return names.sort();
}

test('a power cut in the middle loses nothing that was acknowledged and stores nothing twice', { tag: '@survey' }, async () => {
  // Two starts, one of them beside another portal's.
  test.setTimeout(400_000);
  const run = `r${Date.now().toString(36)}`;
  const [port, dataDir] = [await freePort(), await newDataDir()];
  let portal = await startPortal({ env, port, dataDir });
  const key = await ingestKey(portal, 10);
  const rsyslog = await startRsyslog({ portalUrl: portal.url, key });
  let isSending = true;
  try {
    let logged = 0;
    const logging = (async () => {
      while (isSending) {
        const now = syslogTime(new Date());
        const lines = Array.from({ length: 20 }, () => `<30>${now} durable-01 counter[7]: line ${nameOf(`${run}s`, logged++)}`);
        await rsyslog.log(lines);
        await pause(80);
      }
    })();

    const client = new Client({ node: `${portal.url}/ingest`, auth: { apiKey: key }, maxRetries: 0 });
    let acknowledged = 0;
    let failures = 0;
    const shipping = (async () => {
      while (isSending) {
        const operations = batchFrom(`${run}e`, acknowledged);
        await shipUntilStored(client, operations, () => failures++);
        acknowledged += 25;
        await pause(20);
      }
    })();

    await expect.poll(() => Math.min(logged, acknowledged)).toBeGreaterThan(500);
    await portal.kill();
    // About a second of refused connections.
    await expect.poll(() => failures).toBeGreaterThan(10);
    portal = await startPortal({ env, port, dataDir });
    const acknowledgedBefore = acknowledged;
    await expect.poll(() => acknowledged - acknowledgedBefore).toBeGreaterThan(500);
    isSending = false;
    await Promise.all([logging, shipping]);
    expect(failures).toBeGreaterThan(0);
    expect(logged).toBeGreaterThan(200);
    expect(acknowledged).toBeGreaterThan(200);

    const token = await signIn(portal.url, 'host');
    // rsyslog still delivers its queue: it retries every second.
    await expect
      .poll(async () => (await stored(portal, token, `${run}s`, logged)).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(logged);
    expect(await stored(portal, token, `${run}s`, logged)).toEqual(wanted(`${run}s`, logged));
    expect(await stored(portal, token, `${run}e`, acknowledged)).toEqual(wanted(`${run}e`, acknowledged));
  } finally {
    isSending = false;
    await rsyslog.stop();
    await portal.stop();
    await removeDir(dataDir);
  }
});
