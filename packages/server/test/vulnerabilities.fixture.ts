/** Devices with an agent and packages, and advisories in their published formats, for vulnerability tests. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { scoped } from '../src/core/db/scope.ts';
import type { TestApp, TestUser } from './app.ts';

export interface PackageOf {
  name: string;
  version: string;
  ecosystem?: string;
  source?: string;
}

/** A reporting device; with packages, also the agent that reported them. */
export async function addDevice(
  t: TestApp,
  organisationId: number,
  packages: readonly PackageOf[] | undefined,
  more: { name?: string; type?: 'server' | 'workstation' | 'networkDevice'; listening?: object[]; at?: Date } = {},
): Promise<string> {
  const id = randomUUID();
  const at = more.at ?? new Date();
  await scoped(t.db, 'system', async (tx) => {
    await tx
      .insertInto('devices')
      .values({
        id,
        organisation_id: organisationId,
        name: more.name ?? `host-${id.slice(0, 8)}`,
        device_type: more.type ?? 'server',
        last_event_at: new Date(),
      })
      .execute();
    if (!packages) return;
    await tx
      .insertInto('agents')
      .values({
        organisation_id: organisationId,
        device_id: id,
        machine_id: id.replaceAll('-', ''),
        key_hash: randomBytes(32),
        platform: 'linux-x64',
        version: '1.0.0',
        inventory: JSON.stringify({
          listening: more.listening ?? [],
          packages: [],
          users: [],
          addresses: [],
          system: {},
        } as never),
        inventory_hash: randomUUID(),
        inventory_at: at,
      } as never)
      .execute();
  });
  if (packages) await setPackages(t, organisationId, id, packages, at);
  return id;
}

/** Replaces the inventory. */
export async function setPackages(
  t: TestApp,
  organisationId: number,
  deviceId: string,
  packages: readonly PackageOf[],
  at = new Date(),
): Promise<void> {
  await scoped(t.db, 'system', async (tx) => {
    const { id } = await tx.selectFrom('agents').select('id').where('device_id', '=', deviceId).executeTakeFirstOrThrow();
    await tx.updateTable('agents').set({ inventory_at: at }).where('id', '=', id).execute();
    await tx.deleteFrom('agent_packages').where('agent_id', '=', id).execute();
    for (let from = 0; from < packages.length; from += 5_000)
      await tx
        .insertInto('agent_packages')
        .values(
          packages.slice(from, from + 5_000).map(({ name, version, ecosystem = 'Debian:12', source = name }) => ({
            organisation_id: organisationId,
            agent_id: id,
            ecosystem,
            name,
            version,
            source,
          })),
        )
        .execute();
  });
}

/** An OSV advisory on one package. */
export const osv = (
  id: string,
  name: string,
  fixed: string | null,
  more: Record<string, unknown> = {},
  ecosystem = 'Debian:12',
) => ({
  id,
  modified: '2026-11-01T00:00:00Z',
  summary: `A weakness of ${name}`,
  affected: [
    {
      package: { ecosystem, name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, ...(fixed === null ? [] : [{ fixed }])] }],
    },
  ],
  ...more,
});

export function sendFile(
  t: TestApp,
  path: string,
  payload: string | Buffer,
  user: Pick<TestUser, 'token'> | undefined,
  type = 'application/json',
): Promise<LightMyRequestResponse> {
  return t.application.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { 'content-type': type, ...(user && { authorization: `Bearer ${user.token}` }) },
    payload,
  });
}
