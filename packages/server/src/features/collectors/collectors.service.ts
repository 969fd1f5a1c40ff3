/** Collector configurations: validated, versioned, and delivered complete with the portal’s address and a key. */

import { type CollectorConfig, type ConfigKind, type collectorsApi, configKinds } from '@parapet/contract/collectors.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { diffLines } from 'diff';
import { parse } from 'yaml';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { check } from './collectors.check.ts';
import { defaults } from './collectors.defaults.ts';
import { commandsFor, fileNameOf, fileOf, lines, reading, titleOf } from './collectors.file.ts';
import { ownSettings } from './collectors.own.ts';
import { findConfig, findName, insertConfig, listVersions } from './collectors.store.ts';

const maxVersions = 1_000;
/** Texts with more changes count as rewritten: computing the smallest difference would take too long. */
const maxChanges = 2_000;

const standardOf = (kind: ConfigKind) => ({ version: 0, yaml: defaults[kind], comment: '', savedBy: '', savedAt: null });

type Config = Omit<CollectorConfig, 'clientOrganizationID' | 'kind' | 'savedAt' | 'problems'> & { savedAt: Date | null };

export interface CollectorsDeps {
  db: Database;
  clock: Clock;
  /** Creates an ingest key in the actor’s name and returns its text. */
  makeKey: (actor: Actor, client: number, name: string) => Promise<string>;
  /** Address of the portal for this client’s users and collectors. */
  originOf: (organisationId: number) => Promise<string>;
}

export type CollectorsService = ReturnType<typeof createCollectorsService>;

export function createCollectorsService(deps: CollectorsDeps) {
  const { db } = deps;

  return {
    async get(actor: Actor, client: number, kind: ConfigKind, version?: number): Promise<CollectorConfig> {
      const scope = scopeFor(actor, client);
      const found = version === 0 ? standardOf(kind) : await readScoped(db, scope, (tx) => find(tx, scope, kind, version));
      if (!found) throw problem.notFound(`version of ${titleOf(kind)}`, version ?? 0);
      return shown(client, kind, found);
    },

    async listVersions(actor: Actor, client: number, kind: ConfigKind): Promise<AnswerOf<typeof collectorsApi.listVersions>> {
      const scope = scopeFor(actor, client);
      const { results, total } = await readScoped(db, scope, (tx) => listVersions(tx, scope, kind, maxVersions));
      return { results: results.map((row) => ({ ...row, savedAt: row.savedAt.toISOString() })), total };
    },

    check(actor: Actor, client: number, kind: ConfigKind, yaml: string) {
      scopeFor(actor, client);
      return { problems: check(kind, unixLines(yaml)) };
    },

    async save(
      actor: Actor,
      client: number,
      kind: ConfigKind,
      { yaml: given, ...input }: { yaml: string; comment: string; version: number },
    ): Promise<CollectorConfig> {
      const scope = scopeFor(actor, client);
      const yaml = unixLines(given);
      const faults = check(kind, yaml).filter(({ isError }) => isError);
      if (faults.length > 0)
        throw problem.invalid({
          yaml: faults.slice(0, 50).map(({ line, text }) => (line ? `Line ${line}: ${text}` : text).slice(0, 500)),
        });
      const saved = await scoped(db, scope, (tx) => saveVersion(deps, tx, scope, actor, client, kind, { ...input, yaml }));
      return shown(client, kind, saved);
    },

    async download(
      actor: Actor,
      client: number,
      kind: ConfigKind,
      keyName: string,
    ): Promise<AnswerOf<typeof collectorsApi.download>> {
      const scope = scopeFor(actor, client);
      const parts = await partsOf(deps, client, kind);
      const key = await deps.makeKey(actor, client, storable(keyName));
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'collectorConfig.downloaded',
          organisationId: client,
          target: kind,
          after: { version: parts.version, keyName },
        }),
      );
      return {
        fileName: fileNameOf(kind),
        text: fileOf({ ...parts, key }),
        ...commandsFor(kind, parts.origin, key, parts.settings),
      };
    },

    /** For a host that presents its key: its organisation’s newest file. */
    async fileFor(organisationId: number, kind: string, key: string): Promise<string | undefined> {
      const known = configKinds.find((each) => each === kind);
      return known && fileOf({ ...(await partsOf(deps, organisationId, known)), key });
    },
  };
}

/** A saved version, or the newest one, which is the standard until one is saved. */
function find(tx: Tx, scope: Scope, kind: ConfigKind): Promise<Config>;
function find(tx: Tx, scope: Scope, kind: ConfigKind, version: number | undefined): Promise<Config | undefined>;
async function find(tx: Tx, scope: Scope, kind: ConfigKind, version?: number): Promise<Config | undefined> {
  const found = await findConfig(tx, scope, kind, version);
  return found ?? (version === undefined ? standardOf(kind) : undefined);
}

const shown = (client: number, kind: ConfigKind, config: Config): CollectorConfig => ({
  clientOrganizationID: client,
  kind,
  ...config,
  savedAt: config.savedAt?.toISOString() ?? null,
  problems: check(kind, config.yaml),
});

/** Everything that a file is built from except its key. */
async function partsOf({ db, originOf }: CollectorsDeps, client: number, kind: ConfigKind) {
  const scope = { organisationIds: [client] };
  const origin = await originOf(client);
  return readScoped(db, scope, async (tx) => {
    const { yaml, version } = await find(tx, scope, kind);
    const common = kind === 'client' ? yaml : (await find(tx, scope, 'client')).yaml;
    const settings = ownSettings.client.parse(parse(common, reading) ?? {});
    return { kind, yaml, version, clientName: await findName(tx, client), settings, origin };
  });
}

/** Throws conflict unless `version` is the newest. */
async function saveVersion(
  { clock }: CollectorsDeps,
  tx: Tx,
  scope: Scope,
  actor: Actor,
  client: number,
  kind: ConfigKind,
  { yaml, comment, version }: { yaml: string; comment: string; version: number },
): Promise<Config> {
  const before = await find(tx, scope, kind);
  const next = before.version + 1;
  const { added, removed } = changesOf(before.yaml, yaml);
  const savedAt = new Date(clock.now());
  const config = { yaml, comment: storable(comment), version: next, added, removed, savedAt };
  const isFirst =
    before.version === version &&
    (await insertConfig(tx, { ...config, organisationId: client, kind, savedBy: actor.userId, savedByName: actor.displayName }));
  if (!isFirst) {
    const current = (await find(tx, scope, kind)).version;
    throw new Problem(
      'conflict',
      `The configuration of ${titleOf(kind)} was saved since you opened it: you changed version ${version}, it is now at ${current}. Review the changes and save again.`,
      { versions: { yours: version, current } },
    );
  }
  await recordAudit(tx, actor, {
    action: 'collectorConfig.saved',
    organisationId: client,
    target: kind,
    before: { version },
    after: { version: next, comment, added, removed },
  });
  return { ...config, savedBy: actor.displayName };
}

const unixLines = (text: string) => text.replace(/\r\n?/g, '\n');

function changesOf(before: string, after: string): { added: number; removed: number } {
  const parts = diffLines(before, after, { maxEditLength: maxChanges });
  if (!parts) return { added: lines(after).length, removed: lines(before).length };
  const count = (kind: 'added' | 'removed') => parts.reduce((sum, part) => sum + (part[kind] ? part.count : 0), 0);
  return { added: count('added'), removed: count('removed') };
}
