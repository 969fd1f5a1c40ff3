/** An erasure survives the death of its process: it continues, and its certificate counts every row once. `KILLS` sets how often. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlobs } from '../src/core/blobs.ts';
import { systemClock } from '../src/core/clock.ts';
import { readScoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { checkpointKey } from '../src/features/audit/chain.format.ts';
import { createAuditSealer } from '../src/features/audit/chain.sealer.ts';
import { verifyLog } from '../src/features/audit/chain.verify.ts';
import { findErasure } from '../src/features/erasure/erasure.store.ts';
import { nodeFlags } from '../src/node-flags.ts';
import { type TestApp, testApp } from './app.ts';
import { confirmErasure, fillClient, rowsOf, seedOfKey } from './erasure.fixture.ts';

const kills = Number(process.env.KILLS ?? 4);
const program = fileURLToPath(new URL('./erasure.eraser.ts', import.meta.url));
const key = checkpointKey(seedOfKey);

let t: TestApp;
let folder: string;
beforeAll(async () => {
  t = await testApp();
  folder = await mkdtemp(join(tmpdir(), 'erasure-'));
  await t.organisation({ isPartner: true, id: 1 });
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});

const erasureOf = (client: number) => readScoped(t.db, 'system', (tx) => findErasure(tx, client));

/** Starts the program and kills it after some rows; returns true when it was done before that. */
async function runAndKill(client: number): Promise<boolean> {
  const deleted = (await erasureOf(client))?.rows ?? 0;
  const child = spawn(process.execPath, [...nodeFlags, program, t.database.url, String(client), folder]);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(child, 'close');
  while (child.exitCode === null && ((await erasureOf(client))?.rows ?? 0) < deleted + 4) await pause(5);
  await pause(Math.random() * 10);
  child.kill('SIGKILL');
  await ended;
  if (/Error/.test(output)) throw new Error(output);
  return output.includes('done');
}

test(
  'continues after each kill and counts every row once',
  async () => {
    const [host, second] = [await t.user({ organisationId: 1, role: 'Host' }), await t.user({ organisationId: 1, role: 'Host' })];
    const client = await t.organisation({ parentId: 1 });
    await fillClient(t, client, openBlobs(undefined, folder), 40);
    const before = await rowsOf(t, client);
    await confirmErasure(t, client, host, second);
    await createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
    let killed = 0;
    for (let kill = 0; kill < kills; kill++) if (!(await runAndKill(client))) killed++;
    expect(killed).toBeGreaterThan(0);
    expect((await erasureOf(client))?.rows).toBeGreaterThan(0);
    while (!(await erasureOf(client))?.finishedAt) await runToEnd(client);

    const { certificate } = (await erasureOf(client))!;
    const stays = /^(audit|erasure|retention_requests)/;
    expect(Object.fromEntries(certificate!.content.tables.map(({ table, rows }) => [table, rows]))).toEqual(
      Object.fromEntries(Object.entries(before).filter(([table]) => !stays.test(table))),
    );
    expect(certificate!.content.files).toEqual({ count: 1, bytes: 7 });
    expect(Object.keys(await rowsOf(t, client)).every((table) => stays.test(table))).toBe(true);
    const verified = await verifyLog(t.db, { organisationId: client, publicKey: key.publicKey, now: Date.now() });
    expect([verified.broken, verified.erased]).toEqual([undefined, certificate!.content.auditEntries]);
  },
  60_000 + kills * 20_000,
);

async function runToEnd(client: number): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program, t.database.url, String(client), folder], { stdio: 'ignore' });
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
}
