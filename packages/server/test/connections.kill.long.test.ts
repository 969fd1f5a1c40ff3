/** A pull survives the death of its process: nothing the vendor had is lost, nothing is double. `KILLS` sets how often. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { startOkta } from '@parapet/world/vendors/okta.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeFlags } from '../src/node-flags.ts';
import { type ConnectionsFixture, connectionsFixture } from './connections.fixture.ts';

const kills = Number(process.env.KILLS ?? 3);
const eventsEach = 6_000;
const program = fileURLToPath(new URL('./connections.puller.ts', import.meta.url));

let okta: Awaited<ReturnType<typeof startOkta>>;
let t: ConnectionsFixture;
beforeAll(async () => {
  okta = await startOkta();
  t = await connectionsFixture([okta]);
});
afterAll(async () => {
  await t.close();
  await okta.close();
});

/** Runs the program until `isOver`, which gets the milliseconds since its first turn, and kills it. */
async function pull(id: number, isOver: (elapsedMs: number) => Promise<boolean>): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program, t.database.url, String(id), okta.url]);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`the puller ended: ${errors}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child.stdout, 'data'), ended]);
  const began = Date.now();
  while (!(await isOver(Date.now() - began))) await Promise.race([pause(20), ended]);
  child.kill('SIGKILL');
  await once(child, 'close');
}

test(
  'loses and doubles no event when its process is killed',
  async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    const published: string[] = [];
    const acknowledged: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      published.push(...okta.publish(eventsEach, Date.now() - hourMs));
      const lifeMs = Math.random() * 300;
      const before = (await t.row(id)).version;
      // Claimed, and at least one page stored.
      await pull(id, async (elapsedMs) => elapsedMs > lifeMs && (await t.row(id)).version > before + 1);
      acknowledged.push((await t.stored(organisationId)).length);
    }
    // At least one death came in the middle.
    expect(acknowledged.some((count, kill) => count > 0 && count < (kill + 1) * eventsEach)).toBe(true);
    await pull(id, async () => new Set(await t.stored(organisationId)).size >= published.length);
    expect((await t.stored(organisationId)).sort()).toEqual(published.sort());
  },
  60_000 + kills * 20_000,
);
