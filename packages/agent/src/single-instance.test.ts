import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireInstanceLock } from './single-instance.ts';

test('refuses a second live agent and ignores dead or reused pids', async () => {
  const state = mkdtempSync(join(tmpdir(), 'parapet-alone-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const script = `const { acquireInstanceLock } = await import(${JSON.stringify(new URL('./single-instance.ts', import.meta.url).href)});
acquireInstanceLock(${JSON.stringify(state)}); console.log('in'); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => other.once('close', resolve));
  await new Promise((resolve) => other.stdout.once('data', resolve));
  expect(() => acquireInstanceLock(state)).toThrow(`runs already, as process ${other.pid}.`);
  const file = join(state, 'running');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${other.pid} 1`);
  acquireInstanceLock(state)();
  writeFileSync(file, text);
  other.kill('SIGKILL');
  await ended;
  acquireInstanceLock(state);
  acquireInstanceLock(state)();
});
