/** Rules of the database beside the built-in ones: versions in force, and differences by organisation. */
import { sql } from 'kysely';
import type { Database } from '../core/db/connect.ts';
import { readScoped } from '../core/db/scope.ts';

/** A version in force; `isShadow` counts matches without alerts. */
export interface StoredVersion {
  organisationId: number;
  key: string;
  version: number;
  yaml: string;
  revision: string;
  isShadow: boolean;
}

export interface StoredOverride {
  organisationId: number;
  key: string;
  isOn: boolean | null;
  criticality: number | null;
}

export interface StoredException {
  id: number;
  organisationId: number;
  key: string;
  yaml: string;
  endsAt: Date;
}

export interface RuleSettings {
  versions: readonly StoredVersion[];
  overrides: readonly StoredOverride[];
  exceptions: readonly StoredException[];
  /** Parent of each organisation that has one. */
  parents: ReadonlyMap<number, number>;
}

export const noSettings: RuleSettings = { versions: [], overrides: [], exceptions: [], parents: new Map() };

/** Reads the settings of all organisations as one state. */
export const readRuleSettings = (db: Database): Promise<RuleSettings> =>
  readScoped(
    db,
    'system',
    async (tx) => {
      const { rows: versions } = await sql<StoredVersion>`
        select organisation_id as "organisationId", rule_key as key, version, yaml, revision, state = 'shadow' as "isShadow"
        from rule_versions where state in ('live', 'shadow') order by rule_key`.execute(tx);
      const { rows: overrides } = await sql<StoredOverride>`
        select organisation_id as "organisationId", rule_key as key, is_on as "isOn", criticality from rule_overrides`.execute(
        tx,
      );
      const { rows: exceptions } = await sql<StoredException>`
        select id, organisation_id as "organisationId", rule_key as key, yaml, ends_at as "endsAt"
        from exceptions where kind = 'exception' and ends_at > now() order by id`.execute(tx);
      const parents = await tx
        .selectFrom('organisations')
        .select(['id', 'parent_id'])
        .where('parent_id', 'is not', null)
        .execute();
      return {
        versions,
        overrides,
        exceptions,
        parents: new Map(parents.map(({ id, parent_id }) => [id, parent_id as number])),
      };
    },
    { isolation: 'repeatable read' },
  );
