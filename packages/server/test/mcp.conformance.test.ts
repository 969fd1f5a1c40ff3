/**
 * The official conformance suite of the Model Context Protocol against /mcp: the scenarios that need no tool, resource or prompt of the suite's own
 * example server. The suite sends no credentials, so a relay adds the key and passes everything else on.
 */
import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from './app.ts';
import { createKey, mcpUrl } from './mcp.fixture.ts';

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
let t: TestApp;
let relay: Server;
let url: string;

beforeAll(async () => {
  t = await testApp();
  const target = new URL(await mcpUrl(t));
  const user = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  const key = await createKey(t, user, ['read']);
  relay = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const onward = request(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(relay.address() as { port: number }).port}/mcp`;
});
afterAll(async () => {
  relay.close();
  await t.close();
});

const run = (scenario: string) =>
  new Promise<{ code: number | null; text: string }>((resolve) => {
    const child = spawn(process.execPath, [suite, 'server', '--url', url, '--scenario', scenario], { cwd: '/tmp' });
    let text = '';
    child.stdout.on('data', (part) => (text += part));
    child.stderr.on('data', (part) => (text += part));
    child.on('close', (code) => resolve({ code, text }));
  });

test.each(['server-initialize', 'ping', 'tools-list'])(
  'passes the scenario %s',
  async (scenario) => {
    const { code, text } = await run(scenario);
    expect(text).toMatch(/Passed: [1-9]\d*\/[1-9]\d*, 0 failed/);
    expect(code, text).toBe(0);
  },
  60_000,
);

// Its other check is of servers without authentication: local web pages are refused here.
test('passes the check of foreign hosts of the scenario dns-rebinding-protection', async () => {
  const { text } = await run('dns-rebinding-protection');
  expect(text).toMatch(/\[localhost-host-rebinding-rejected\s*\] \S*SUCCESS/);
}, 60_000);
