/** The first start of a demo on an empty folder: a page within seconds, sign-in while the world is created, and a power cut in the middle. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { freePort } from '../packages/server/test/ports.ts';
import { alertsOf, signIn } from './api.ts';
import { newDataDir, removeDir, startPortal } from './portal.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('people sign in while the demo is created, and a power cut in the middle leaves a folder that starts', {
  tag: '@survey',
}, async ({ page }) => {
  test.setTimeout(300_000);
  const [port, dataDir] = [await freePort(), await newDataDir()];
  const url = `http://127.0.0.1:${port}`;
  const env = { PORTAL_DEMO_SCALE: '0.1' };
  const statusOf = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => 0,
    );
  const child: ChildProcess = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
    detached: true,
  });
  try {
    await expect.poll(() => statusOf('/login'), { timeout: 20_000 }).toBe(200);
    await page.goto(`${url}/login`);
    // The light page becomes the portal’s own.
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole('progressbar', { name: 'Demo data created' })).toBeVisible();
    await expect(page.getByText(/Replaying a year of events · \d+%/)).toBeVisible({ timeout: 30_000 });
    await page.getByRole('button', { name: /^Priya Raman/ }).click();
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Demo data' })).toBeVisible();
    expect(await statusOf('/readyz')).toBe(503);
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  }

  const portal = await startPortal({ env, port, dataDir });
  try {
    await page.goto(`${url}/apps/dashboard`);
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Demo data' })).toBeHidden();
    const token = await signIn(url, 'host');
    expect((await alertsOf(url, token, 10)).length).toBeGreaterThan(0);
  } finally {
    await portal.stop();
    await removeDir(dataDir);
  }
});
