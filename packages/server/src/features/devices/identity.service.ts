/** Applies the rules of `identity.rules.ts`: merges names of one device, as a person would, and leaves alone what people took apart. */
import { Problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Log } from '../../core/log.ts';
import { systemAuditor } from '../../domain/audit.ts';
import { mergeDevices } from './devices.merge.ts';
import { identifierOf, type Known, type Merge, mergesOf, pairKey } from './identity.rules.ts';

interface Row {
  id: string;
  name: string;
  mergedInto: string | null;
  hasAgent: boolean;
  isListed: boolean;
  createdAt: Date;
  serials: (string | null)[];
  clouds: (string | null)[];
  agentSerials: (string | null)[];
  agentClouds: (string | null)[];
  directories: (string | null)[];
}

export function createIdentityService({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
  const join = async (organisationId: number, { target, duplicate, rule, value }: Merge): Promise<void> => {
    const scope = { organisationIds: [organisationId] };
    const merge = { target, duplicates: [duplicate], isMerged: true, match: { rule, value } };
    try {
      await scoped(db, scope, (tx) => mergeDevices(tx, scope, systemAuditor(organisationId), merge, new Date(clock.now())));
    } catch (error) {
      // Changed by a person since, or it has too many names already.
      if (!(error instanceof Problem)) throw error;
      log.info({ organisationId, target, duplicate, reason: error.message }, 'names of a device were not merged');
    }
  };

  const matchOne = async (organisationId: number): Promise<void> => {
    const scope = { organisationIds: [organisationId] };
    const { devices, separated } = await scoped(db, scope, (tx) => listKnown(tx, scope), { readOnly: true });
    for (const merge of mergesOf(devices, separated)) await join(organisationId, merge);
  };

  return {
    /** Matches the devices of every organisation that an agent or a vendor lists devices of. */
    async match(): Promise<void> {
      const ids = await scoped(db, 'system', listOrganisations, { readOnly: true });
      for (const id of ids) await matchOne(id);
    },
    matchOne,
  };
}

async function listOrganisations(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from organisations o where o.deactivated_at is null and (
      exists (select from connection_devices v where v.organisation_id = o.id)
      or exists (select from agents a where a.organisation_id = o.id and a.revoked_at is null))
    order by o.id`.execute(tx);
  return rows.map(({ id }) => id);
}

async function listKnown(tx: Tx, scope: Scope): Promise<{ devices: Known[]; separated: Set<string> }> {
  const { rows } = await sql<Row>`
    select d.id, d.name, d.merged_into as "mergedInto", d.created_at as "createdAt",
      coalesce(a.is_active, false) as "hasAgent", coalesce(a.is_active, false) or v.id is not null as "isListed",
      coalesce(a.serials, '{}') as "agentSerials", coalesce(v.serials, '{}') as serials,
      coalesce(a.clouds, '{}') as "agentClouds", coalesce(v.clouds, '{}') as clouds,
      coalesce(v.directories, '{}') as directories
    from devices d
      left join (
        select device_id as id, bool_or(revoked_at is null) as is_active, array_agg(inventory -> 'system' ->> 'serial') filter (where revoked_at is null) as serials,
          array_agg(inventory -> 'system' ->> 'cloudInstance') filter (where revoked_at is null) as clouds
        from agents where ${within('organisation_id', scope)} group by 1
      ) a on a.id = d.id
      left join (
        select device_id as id, array_agg(serial) as serials, array_agg(cloud_id) as clouds, array_agg(directory_id) as directories
        from connection_devices where ${within('organisation_id', scope)} group by 1
      ) v on v.id = d.id
    where ${within('d.organisation_id', scope)}`.execute(tx);
  const pairs = await tx
    .selectFrom('device_separations')
    .select(['device_id', 'other_id'])
    .where(within('organisation_id', scope))
    .execute();
  const byTarget = Map.groupBy(rows, ({ id, mergedInto }) => mergedInto ?? id);
  const devices = [...byTarget].flatMap(([id, members]) => {
    const own = members.find((row) => row.id === id);
    return own ? [knownOf(own, members)] : [];
  });
  return { devices, separated: new Set(pairs.map(({ device_id, other_id }) => pairKey(device_id, other_id))) };
}

function knownOf(own: Row, members: readonly Row[]): Known {
  const values = (of: (row: Row) => readonly (string | null)[]) => [
    ...new Set(members.flatMap((row) => of(row).flatMap((text) => identifierOf(text) ?? []))),
  ];
  return {
    id: own.id,
    members: members.map(({ id }) => id),
    names: members.map(({ name }) => name),
    identifiers: {
      serial: values(({ agentSerials, serials }) => [...agentSerials, ...serials]),
      cloud: values(({ agentClouds, clouds }) => [...agentClouds, ...clouds]),
      directory: values(({ directories }) => directories),
    },
    vouched: {
      serial: values(({ serials }) => serials),
      cloud: values(({ clouds }) => clouds),
      directory: values(({ directories }) => directories),
    },
    hasAgent: members.some(({ hasAgent }) => hasAgent),
    isListed: members.some(({ isListed }) => isListed),
    createdAt: own.createdAt.getTime(),
  };
}
