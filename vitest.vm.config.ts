import { defineConfig } from 'vitest/config';

/** `npm run test:booted`: root on Debian, and minutes. */
export default defineConfig({
  test: {
    include: ['packages/server/vm/*.boot.ts'],
    globalSetup: ['packages/server/vm/tools.setup.ts', 'packages/server/test/database.setup.ts'],
    testTimeout: 180_000,
  },
});
