import { defineConfig } from 'vitest/config';

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
      {
        test: {
          name: 'server',
          include: ['packages/server/**/*.test.ts'],
          globalSetup: ['packages/server/test/database.setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
