import { expect, test } from 'vitest';
import { greeting } from './greeting.ts';

const running = { url: 'http://localhost:8080', isDemo: false, hasHost: true, dataDir: undefined, warnings: [] };

test('names the command for the first Host only without one', () => {
  expect(greeting({ ...running, hasHost: false })).toContain('\n  npm run -s create-host\n');
  expect(greeting({ ...running, hasHost: false, dataDir: '/srv/data' })).toContain(
    '  DATA_DIR="/srv/data" npm run -s create-host',
  );
  expect(greeting(running)).not.toContain('create-host');
  expect(greeting({ ...running, isDemo: true })).toContain('host@parapet.example');
});
