/**
 * `npm test`: everything that proves the product: types, lint, unit, feature, access and house tests, then the browser journeys on the real
 * server. Brings what the journeys need when it is missing, and says so; it never passes by leaving something out.
 */
import { spawnSync } from 'node:child_process';
import { buildWebWhenNeeded } from './build-web.ts';
import { bringJourneyTools } from './journey-tools.ts';
import { requireNode } from './node-version.ts';

requireNode();

function run(title: string, script: string, args: string[]): void {
  console.log(`\n── ${title}`);
  const { status } = spawnSync(process.execPath, [new URL(import.meta.resolve(script)).pathname, ...args], {
    stdio: 'inherit',
    cwd: new URL('..', import.meta.url),
  });
  if (status === 0) return;
  console.error(`${title}: failed.`);
  process.exit(status ?? 1);
}

await bringJourneyTools();
run('types', 'typescript/bin/tsc', ['--noEmit']);
run('lint', '@biomejs/biome/bin/biome', ['check', '.']);
run('tests', 'vitest/vitest.mjs', ['run']);
await buildWebWhenNeeded();
run('journeys', '@playwright/test/cli', ['test', '--config', 'e2e/playwright.config.ts']);
