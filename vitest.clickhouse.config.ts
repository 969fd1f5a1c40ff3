import { defineConfig } from 'vitest/config';

/** `npm run test:clickhouse`: needs the engine of `tools/clickhouse` (566 MB), which the verb installs. */
export default defineConfig({
  test: {
    include: ['packages/server/test/clickhouse/*.clickhouse.ts'],
    globalSetup: ['packages/server/test/database.setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
