/** Test agents: enrolled by token, each with its key, speaking the real protocol. */
import { randomBytes } from 'node:crypto';
import { agentPaths, type CheckIn, type CheckInAnswer, type Enrolled, type TaskResult } from '@parapet/contract/agentProtocol.ts';
import type { LightMyRequestResponse } from 'fastify';
import { scoped } from '../src/core/db/scope.ts';
import { hashOfToken, newToken } from '../src/core/secrets.ts';
import type { TestApp } from './app.ts';

export const free = { isIsolated: false, releaseInSeconds: null, blockedUsers: [] };
export const checkInOf = (more: Partial<CheckIn> = {}): CheckIn => ({
  version: '1.0.0',
  inventoryHash: 'none yet',
  holding: free,
  buffer: { bytes: 0, limitBytes: 1_000_000, isFull: false, events: 0 },
  shipped: 0,
  dropped: {},
  errors: [],
  lastSequence: 0,
  ...more,
});

export const inventoryOf = (packages: { name: string; version: string }[] = []) => ({
  system: {
    hostname: 'web01',
    os: 'Debian GNU/Linux 12',
    kernel: '6.1.0',
    architecture: 'x64',
    processors: 2,
    memoryBytes: 4_000_000_000,
    bootedAt: null,
  },
  packages: packages.map((one) => ({ ...one, ecosystem: 'Debian:12', source: '' })),
  users: [{ name: 'root', uid: 0, shell: '/bin/bash', isLocked: false }],
  addresses: [{ interface: 'eth0', address: '192.0.2.7', mac: '' }],
  listening: [{ protocol: 'tcp' as const, address: '0.0.0.0', port: 22, process: 'sshd' }],
});

/** Text of a token valid for `maxUses` enrolments. */
export async function enrolmentToken(
  t: TestApp,
  organisationId: number,
  { maxUses = 100, expiresAt = new Date(Date.now() + 3_600_000) }: { maxUses?: number; expiresAt?: Date } = {},
): Promise<string> {
  const token = `pe_${newToken()}`;
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('enrolment_tokens')
      .values({
        organisation_id: organisationId,
        name: 'test',
        prefix: token.slice(0, 9),
        hash: hashOfToken(token),
        max_uses: maxUses,
        created_by: null,
        expires_at: expiresAt,
        revoked_at: null,
      })
      .execute(),
  );
  return token;
}

export function enrol(
  t: TestApp,
  body: { token: string; name?: string; machineId?: string; version?: string; previousKey?: string },
  remoteAddress = '127.0.0.1',
): Promise<LightMyRequestResponse> {
  return t.application.app.inject({
    method: 'POST',
    url: agentPaths.enrol,
    remoteAddress,
    payload: { name: 'web01', machineId: randomBytes(16).toString('hex'), platform: 'linux-x64', version: '1.0.0', ...body },
  });
}

export interface TestAgent {
  id: number;
  key: string;
  organisationId: number;
  deviceId: string;
  checkIn(more?: Partial<CheckIn>): Promise<CheckInAnswer>;
  pollTasks(after?: number, wait?: number): Promise<LightMyRequestResponse>;
  result(id: number, result: TaskResult): Promise<LightMyRequestResponse>;
}

export async function agentOf(t: TestApp, organisationId: number, name = 'web01', version = '1.0.0'): Promise<TestAgent> {
  const answer = await enrol(t, { token: await enrolmentToken(t, organisationId), name, version });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  const { agentId: id, key } = answer.json<Enrolled>();
  const { device_id: deviceId } = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('agents').select('device_id').where('id', '=', id).executeTakeFirstOrThrow(),
  );
  const headers = { authorization: `Bearer ${key}` };
  return {
    id,
    key,
    organisationId,
    deviceId,
    async checkIn(more) {
      const response = await t.application.app.inject({
        method: 'POST',
        url: agentPaths.checkIn,
        headers,
        payload: checkInOf({ version, ...more }),
      });
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.json<CheckInAnswer>();
    },
    pollTasks: (after = 0, wait = 0) =>
      t.application.app.inject({ url: agentPaths.tasks, query: { after: String(after), wait: String(wait) }, headers }),
    result: (task, result) =>
      t.application.app.inject({ method: 'POST', url: agentPaths.result(task), headers, payload: result }),
  };
}
