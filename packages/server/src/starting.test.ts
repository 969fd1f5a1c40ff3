import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../test/ports.ts';
import { listenWhileStarting, type Starting } from './starting.ts';

let starting: Starting | undefined;
afterEach(() => starting?.close());

async function open() {
  const port = await freePort();
  starting = await listenWhileStarting({ port, host: '127.0.0.1' });
  return { port, get: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init) };
}

describe('while the application starts', () => {
  test('people get a page with the stage and no brand', async () => {
    const { get } = await open();
    starting?.setStage('Building <pages> & more');
    const page = await get('/apps/alerts?client=10');
    const html = await page.text();
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(html).toContain('Building &#60;pages&#62; &#38; more…');
    expect(html).not.toMatch(/parapet/i);
    const nonce = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1];
    expect(html).toContain(`<script nonce="${nonce}">`);
    expect((await get('/healthz').then((answer) => answer.json())).stage).toBe('Building <pages> & more');
  });

  test('calls, assets and readiness get 503 with Retry-After', async () => {
    const { get } = await open();
    for (const [path, init] of [['/api/v1/brand'], ['/readyz'], ['/assets/a.js'], ['/login', { method: 'POST' }]] as const) {
      const answer = await get(path, init);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5']);
    }
  });

  test.each([
    '/ingest/_bulk',
    '/ingest/_cat/health',
    '/services/collector/event',
    '/v1/logs',
    '/webhook/x',
    '/agent/v1/check-in',
  ])('a shipper’s connection to %s closes without an answer', async (path) => {
    const { get } = await open();
    await expect(get(path, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed');
    expect((await get('/healthz')).status).toBe(200);
  });

  test('the port is free once it is closed, whatever connections are open', async () => {
    const { port, get } = await open();
    await get('/');
    await starting?.close();
    starting = undefined;
    const next = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve, reject) => next.once('listening', resolve).once('error', reject));
    next.close();
  });

  test('responses do not wait for the thread that loads the application', async () => {
    const { port } = await open();
    // Holds this thread.
    const script = `fetch('http://127.0.0.1:${port}/healthz').then((answer) => process.stdout.write(String(answer.status)))`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 30_000 })).toBe('200');
  });

  test('a taken port is an error', async () => {
    const { port } = await open();
    await expect(listenWhileStarting({ port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
