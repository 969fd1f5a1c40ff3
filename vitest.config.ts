import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that replace a module: they have a module graph of their own, the others share one per worker. */
const mocking = ['packages/server/test/budgets.test.ts', 'packages/server/test/access.invariants.test.ts'];

const server = {
  include: ['packages/server/**/*.test.ts'],
  globalSetup: ['packages/server/test/database.setup.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'house', include: ['tools/**/*.test.ts'] } },
      {
        test: {
          name: 'unit',
          include: ['packages/{agent,contract,sigma,world,web}/**/*.test.{ts,tsx}', 'detections/**/*.test.ts'],
        },
      },
      { test: { ...server, name: 'server', exclude: [...configDefaults.exclude, ...mocking], isolate: false } },
      { test: { ...server, name: 'server-mocked', include: mocking } },
    ],
  },
});
