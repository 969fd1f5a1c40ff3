/** The complete portal in a temporary folder, for benchmarks that observe its process. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type Database } from '@parapet/server/core/db/connect.ts';
import { attachEmbedded } from '@parapet/server/core/db/embedded.ts';
import { appUrl } from '@parapet/server/core/db/migrate.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { createIngestKeysService } from '@parapet/server/features/ingest-keys/ingest-keys.service.ts';
import { memoryEnvironment, nodeFlags } from '@parapet/server/node-flags.ts';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { freePort } from '../packages/server/test/ports.ts';

const metricsToken = 'a token of the benchmark';
export const secretKey = 'a secret of the benchmark, long enough';

export interface Portal {
  url: string;
  /** Pool on the portal's database; close it before the portal stops. */
  db: Database;
  figures(): Promise<Figures>;
  stop(): Promise<void>;
}

export interface Figures {
  /** Memory of the server process in bytes. */
  memory: number;
  /** Its peak. */
  peakMemory: number;
  /** p99 event-loop delay since the last call. */
  stallMs: number;
}

export async function startPortal(): Promise<Portal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parapet-bench-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [...nodeFlags, fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))],
    {
      env: {
        ...memoryEnvironment,
        PATH: process.env.PATH,
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        PORTAL_DEMO: '0',
        SECRET_KEY: secretKey,
        // Lift the rate limits: one user sends the whole load.
        API_CALLS_A_MINUTE: '1000000000',
        LOG_LEVEL: 'warn',
        METRICS_TOKEN: metricsToken,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) {
      await end();
      throw new Error(`the portal ended with ${child.exitCode} before it was ready`);
    }
    await pause(100);
  }
  const db = connect({
    url: appUrl(await attachEmbedded({ dataDir })),
    applicationName: 'bench',
    poolSize: 2,
    connectTimeoutMs: 60_000,
  });
  return {
    url,
    db,
    async figures() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text();
      const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
      return {
        memory: bytesOf('VmRSS'),
        peakMemory: bytesOf('VmHWM'),
        stallMs: Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000,
      };
    },
    async stop() {
      await db.close();
      await end();
    },
  };
}

/** An organisation with an ingest key, and a signed-in analyst of it. */
export async function prepareClient({ db }: Portal, organisationId: number): Promise<{ key: string; token: string }> {
  const sessionId = randomUUID();
  const userId = await scoped(db, 'system', async (tx) => {
    await tx
      .insertInto('organisations')
      .values({ id: organisationId, name: 'Bench', is_partner: false, parent_id: null })
      .execute();
    const user = {
      organisation_id: organisationId,
      email: `analyst@${organisationId}.bench.example`,
      first_name: 'S',
      last_name: 'S',
      role: 'Analyst',
    };
    const { id } = await tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const expires = new Date(Date.now() + 3_600_000);
    await tx
      .insertInto('sessions')
      .values({ id: sessionId, organisation_id: organisationId, user_id: id, expires_at: expires })
      .execute();
    return id;
  });
  const key = await createIngestKeysService({ db }).createUnattended(organisationId, 'bench');
  const token = await createTokens(await sharedSecret(db, 'access tokens', secretKey)).issue(userId, sessionId);
  return { key, token };
}
