/** Container file and systemd unit, read as their programs read them: neither is built or started here. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { memoryEnvironment, nodeFlags } from '../packages/server/src/node-flags.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Instruction {
  name: string;
  value: string;
}

/** Instructions by stage; continued lines are joined. */
function stagesOf(text: string): Instruction[][] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`No instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, value: value.trim() });
  }
  return stages;
}

const stages = stagesOf(read('packaging/Containerfile'));
const last = stages.at(-1) ?? [];
const settingOf = (name: string) => last.findLast((each) => each.name === name)?.value ?? '';
const program = JSON.parse(settingOf('CMD')) as string[];
const healthCheck = JSON.parse(/CMD\s+(\[.*\])$/.exec(settingOf('HEALTHCHECK'))?.[1] ?? '[]') as string[];

test('builds the container in stages of the required Node, without tools of development', () => {
  expect(stages).toHaveLength(2);
  for (const [from] of stages) expect(from?.value).toMatch(/^node:24-bookworm-slim( AS build)?$/);
  expect(JSON.stringify(stages[0])).toContain('npm prune --omit=dev');
  // The context leaves built folders out; the pages and the agent that the portal gives out are built within, by tools of development.
  expect(read('.dockerignore').split('\n')).toContain('**/dist');
  expect(stages[0]?.at(-1)?.value.replace(/\s+/g, ' ')).toMatch(
    /npm run -s build && node tools\/build-agent\.ts && npm prune --omit=dev/,
  );
  expect(last.filter(({ name }) => name === 'COPY').map(({ value }) => value)).toEqual(['--from=build --chown=0:0 /app /app']);
});

test('runs the container as an unprivileged user that owns its data only', () => {
  expect(settingOf('USER')).toBe('10001:10001');
  const user = last.findIndex(({ name }) => name === 'USER');
  expect(last.slice(user).map(({ name }) => name)).toEqual([
    'USER',
    'ENV',
    'VOLUME',
    'EXPOSE',
    'HEALTHCHECK',
    'STOPSIGNAL',
    'CMD',
  ]);
  expect(JSON.parse(settingOf('VOLUME'))).toEqual(['/data']);
  expect(settingOf('ENV')).toMatch(/PORTAL_DEMO=0/);
  expect(settingOf('ENV')).not.toMatch(/KEY|PASSWORD|TOKEN|SECRET/);
  expect(read('.dockerignore').split('\n')).toEqual(
    expect.arrayContaining(['.git', 'data', 'release', '*.key', '*.key.pub', '*.env', '**/node_modules']),
  );
});

test('starts the server directly with its flags, in the container and by systemd', () => {
  const expected = [...nodeFlags, 'packages/server/src/main.ts'];
  expect(program).toEqual(['node', ...expected]);
  expect(existsSync(join(root, expected.at(-1) ?? ''))).toBe(true);
  expect(unit.get('ExecStart')).toEqual([`/opt/parapet/node_modules/.bin/node ${expected.join(' ')}`]);
  for (const [name, value] of Object.entries(memoryEnvironment)) {
    expect(settingOf('ENV')).toContain(`${name}=${value}`);
    expect(unit.get('Environment')?.join(' ')).toContain(`${name}=${value}`);
  }
});

test('checks the health of the container by its own answer', { timeout: 30_000 }, async () => {
  let status = 200;
  const server = createServer((request, response) => response.writeHead(request.url === '/healthz' ? status : 404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [, ...words] = healthCheck;
  const code = () =>
    new Promise((resolve) => spawn(process.execPath, words, { env: { PORT: String(port) } }).once('close', resolve));
  expect(await code()).toBe(0);
  status = 503;
  expect(await code()).toBe(1);
  await new Promise((resolve) => server.close(resolve));
  expect(await code()).toBe(1);
});

/** Values by key of a unit, in order. */
function unitOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    if (/^\s*(#|$|\[)/.test(line)) continue;
    const [, key = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key === '') throw new Error(`No setting: ${line}`);
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}
const unit = unitOf(read('packaging/parapet.service'));

test('confines the service: no privileges, a read-only system, few system calls', () => {
  const settings = Object.fromEntries([...unit].map(([key, values]) => [key, values.join(' ')]));
  expect(settings).toMatchObject({
    User: 'parapet',
    NoNewPrivileges: 'true',
    CapabilityBoundingSet: '',
    ProtectSystem: 'strict',
    ProtectHome: 'true',
    PrivateTmp: 'true',
    PrivateDevices: 'true',
    RestrictSUIDSGID: 'true',
    SystemCallFilter: '@system-service ~@privileged @resources',
    StateDirectory: 'parapet',
    UMask: '0077',
  });
  expect(settings.Environment).toContain('DATA_DIR=/var/lib/parapet');
});

const analyze = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });

// Skipped without systemd; the settings above remain checked.
test.skipIf(analyze.status !== 0)('passes systemd’s own checks with an exposure below 2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-unit-'));
  try {
    const file = join(folder, 'parapet.service');
    writeFileSync(file, read('packaging/parapet.service').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' });
    expect(Number(/exposure level for parapet\.service: ([\d.]+)/.exec(rated.stdout)?.[1])).toBeLessThan(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('keeps changelog and security policy in step with the version and the documents', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CHANGELOG.md')).toContain(`\n## ${version}\n`);
  const links = [...read('SECURITY.md').matchAll(/\]\(([^)#]+)(?:#([\w-]+))?\)/g)];
  expect(links.length).toBeGreaterThan(2);
  for (const [, file = '', anchor] of links) {
    const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    if (anchor) expect(headings).toContain(anchor);
  }
});
