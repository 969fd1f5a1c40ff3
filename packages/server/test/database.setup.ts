/** One PostgreSQL per test run: that of TEST_DATABASE_URL, else an embedded one in a temporary folder. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { scratchFolder } from '../../../tools/scratch.ts';
import { startEmbedded } from '../src/core/db/embedded.ts';
import { migrate } from '../src/core/db/migrate.ts';
import { silentLog } from '../src/core/log.ts';
import { runAs, urlOf } from './database.ts';

const folder = fileURLToPath(new URL('../src/migrations', import.meta.url));

// The data is disposable, so durability and regular checkpoints are off.
const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  max_connections: '200',
};

async function server(): Promise<{ adminUrl: string; stop(): Promise<void> }> {
  // Environment of the test run, not of the product.
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { adminUrl: given, stop: async () => undefined };
  const dataDir = await scratchFolder('setup-test-');
  const postgres = await startEmbedded({ dataDir, log: silentLog, settings: hasty });
  return {
    adminUrl: postgres.ownerUrl,
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { adminUrl, stop } = await server();
  const template = `parapet_template_${randomBytes(4).toString('hex')}`;
  const drop = () => runAs(adminUrl, `drop database if exists ${template} with (force)`);
  try {
    await runAs(adminUrl, `create database ${template} template template0`);
    await migrate({ ownerUrl: urlOf(adminUrl, template), folder, log: silentLog });
  } catch (error) {
    await drop().catch(() => undefined);
    await stop();
    throw error;
  }
  project.provide('database', { adminUrl, template });
  return async () => {
    await drop();
    await stop();
  };
}
