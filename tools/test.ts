/**
 * `npm test`: types, lint, unit, feature, access and architecture tests, then the browser journeys against the real server. The walks over
 * pages and long journeys (`npm run e2e -- --project walks`), and the long tests of the server (`npm run test:long`) are verbs of their own, which
 * `.ci/run` runs too. Installs missing tools that the browser tests need and reports it.
 */
import { spawnSync } from 'node:child_process';
import { binOf } from './bin.ts';
import { buildWebWhenNeeded } from './build-web.ts';
import { installE2eTools } from './e2e-tools.ts';
import { requireNode } from './node-version.ts';

requireNode();

function run(title: string, script: string, args: string[]): void {
  console.log(`\n── ${title}`);
  const { status } = spawnSync(process.execPath, [script, ...args], {
    stdio: 'inherit',
    cwd: new URL('..', import.meta.url),
  });
  if (status === 0) return;
  console.error(`${title}: failed.`);
  process.exit(status ?? 1);
}

await installE2eTools();
run('types', binOf('typescript', 'tsc'), ['--noEmit']);
run('lint', binOf('@biomejs/biome'), ['check', '.']);
run('tests', binOf('vitest'), ['run', '--project=!server-long']);
await buildWebWhenNeeded();
run('journeys', binOf('@playwright/test', 'playwright'), [
  'test',
  '--config',
  'e2e/playwright.config.ts',
  '--project',
  'journeys',
]);
