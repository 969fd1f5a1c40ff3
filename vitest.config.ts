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
          exclude: ['packages/server/booted/**', '**/node_modules/**'],
          globalSetup: ['packages/server/test/database.setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        // `npm run test:booted` only: root on Debian, and minutes.
        test: {
          name: 'booted',
          include: ['packages/server/booted/**/*.test.ts'],
          globalSetup: ['packages/server/booted/tools.setup.ts', 'packages/server/test/database.setup.ts'],
          testTimeout: 180_000,
        },
      },
    ],
  },
});
