/** Acceptance of imports, and changes to packs. */
import { providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { publish } from '../../core/bus.ts';
import { storable } from '../../core/db/like.ts';
import { isDuplicate, readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { keyName } from '../../core/keys/signing.ts';
import { isSingleOperator } from '../../domain/approvers.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queuePastSearch } from '../../domain/pastSearches.ts';
import { lockVersions } from '../../domain/ruleVersions.ts';
import * as acceptance from './packs.acceptance.ts';
import { applyDecisions, dropOutdatedDecisions } from './packs.decisions.ts';
import { type Body, ownScope, type PacksDeps } from './packs.deps.ts';
import { packArchive, rulesOfPack } from './packs.export.ts';
import * as store from './packs.store.ts';

/** For statements over thousands of rules. */
const longMs = 60_000;
const critical = 5;

export async function accept(
  deps: PacksDeps,
  actor: Actor,
  id: number,
  body: Body<'accept'>,
): Promise<AnswerOf<typeof rulePacksApi.accept>> {
  const { db, clock } = deps;
  const scope = ownScope(actor);
  const now = new Date(clock.now());
  const author = { id: actor.userId, name: actor.displayName };
  const used = [...(await readScoped(db, 'system', store.listNewest, { statementTimeoutMs: longMs })).keys()];
  const change = async (tx: Tx) => {
    const row = await store.findImport(tx, scope, id, true);
    if (!row) throw problem.notFound('import', id);
    if (row.state !== 'ready') throw problem.conflict(`The import of “${row.name}” is ${row.state}; it can’t be accepted.`);
    await lockVersions(tx);
    await requireCurrent(tx, scope, row);
    const { state, severities, onlyKnownSources, retireRemoved, why } = body;
    const criticalities = severities.map((each) => criticalityOf[each]);
    const note = storable(why);
    const before = await acceptance.listLive(tx, row.organisationId);
    await dropOutdatedDecisions(tx, row);
    const { packId, taken: versions } = await acceptance.takeOver(tx, row, {
      ...{ state, criticalities, onlyKnownSources, used, author, now },
      why: note,
    });
    versions.push(...(await applyDecisions(tx, row, packId, { set: deps.detector.current(), why: note, author, now })));
    const left = await acceptance.listRemoved(tx, row);
    const keysOf = (...outcomes: readonly string[]) =>
      left.filter(({ outcome }) => outcomes.includes(outcome)).map(({ key }) => key);
    await acceptance.release(tx, row, packId, keysOf('kept'));
    const removed = uncounted(deps, keysOf('retired', ...(retireRemoved ? ['undecided'] : [])));
    const retired = removed.length > 0 ? await acceptance.retire(tx, row, packId, removed) : 0;
    const { name, version } = row;
    const taken = versions.length;
    await searchPast(tx, row, packId, versions, before, now);
    await recordAudit(tx, actor, {
      action: 'rulePack.accepted',
      organisationId: providerId,
      target: String(packId),
      after: { name, version, state, severities, taken, retired, why: note },
    });
    await publish(tx, 'rules.changed', {});
    return { taken, retired };
  };
  try {
    return await scoped(db, scope, change, { statementTimeoutMs: longMs });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw problem.conflict('A rule of the pack was saved in the meantime. Try again.');
  }
}

/** Starts a search of stored events for all versions that were accepted, also drafts. */
const searchPast = (
  tx: Tx,
  { name, version }: store.ImportRow,
  packId: number,
  versions: readonly { key: string; version: number; state: string }[],
  before: ReadonlyMap<string, number>,
  at: Date,
): Promise<void> =>
  queuePastSearch(tx, {
    kind: 'rules',
    name: version ? `${name} ${version}` : name,
    packId,
    terms: versions.map((each) => ({
      kind: 'rule',
      value: each.key,
      version: each.version,
      replaced: each.state === 'live' ? before.get(each.key) : undefined,
    })),
    at,
  });

export async function changeState(
  deps: PacksDeps,
  actor: Actor,
  id: number,
  { state, why }: Body<'changeState'>,
): Promise<AnswerOf<typeof rulePacksApi.changeState>> {
  const { db, clock } = deps;
  const scope = ownScope(actor);
  const now = new Date(clock.now());
  // Counts of shadows are of the clients.
  const wide = scopeOf(actor);
  return scoped(
    db,
    wide,
    async (tx) => {
      if (!(await store.findPack(tx, scope, { id }))) throw problem.notFound('pack', id);
      await lockVersions(tx);
      const newest = await acceptance.lockNewest(tx, providerId, id);
      const mayAll = state !== 'live' || (await isSingleOperator(tx));
      const free = new Set(
        uncounted(
          deps,
          newest.map(({ key }) => key),
        ),
      );
      const chosen = newest.filter((version) => {
        if (state === 'retired') return version.isUsed && free.has(version.key);
        if (version.state === state || version.state === 'retired' || version.isEdited) return false;
        if (state === 'live') return !version.isStopped && (mayAll || version.criticality < critical);
        return version.state !== 'live' && !/^correlation:/m.test(version.yaml);
      });
      const author = { id: actor.userId, name: actor.displayName };
      const note = storable(why);
      if (chosen.length > 0) await acceptance.setStates(tx, wide, providerId, chosen, { state, why: note, author, now });
      await recordAudit(tx, actor, {
        action: 'rulePack.stateChanged',
        organisationId: providerId,
        target: String(id),
        after: { state, changed: chosen.length, why: note },
      });
      await publish(tx, 'rules.changed', {});
      return { changed: chosen.length, left: newest.length - chosen.length };
    },
    { statementTimeoutMs: longMs },
  );
}

export async function download(
  deps: PacksDeps,
  actor: Actor,
  pack: string,
): Promise<{ type: string; bytes: Buffer; downloadName: string }> {
  const { db, clock } = deps;
  const scope = ownScope(actor);
  const key = await deps.signingKey();
  return scoped(
    db,
    scope,
    async (tx) => {
      const found = /^\d+$/.test(pack) ? await store.findPack(tx, scope, { id: Number(pack) }) : undefined;
      if (/^\d+$/.test(pack) && !found) throw problem.notFound('pack', pack);
      const name = found?.name ?? (pack === 'own' ? 'Own rules' : 'Built-in rules');
      const rules = await rulesOfPack(tx, scope, deps.detector, pack);
      const version = found?.version || new Date(clock.now()).toISOString().slice(0, 10);
      const after = { pack: name, rules: rules.length };
      await recordAudit(tx, actor, { action: 'rulePack.downloaded', organisationId: providerId, target: pack, after });
      return {
        type: 'application/zip',
        bytes: packArchive(rules, { name, version, publisher: found?.publisher ?? '' }, key),
        downloadName: `${name}-${version}.zip`,
      };
    },
    { statementTimeoutMs: longMs },
  );
}

/** Keys of rules that no other correlation counts. */
function uncounted({ detector }: PacksDeps, keys: readonly string[]): string[] {
  const leaving = new Set(keys);
  return keys.filter((key) =>
    detector
      .current()
      .readersOf(key)
      .every(({ id }) => leaving.has(id)),
  );
}

/** A pack that was accepted since the import was compared with it. */
async function requireCurrent(tx: Tx, scope: Scope, { name, packId, requestedAt, signer }: store.ImportRow): Promise<void> {
  const pack = await store.findPack(tx, scope, { name });
  if (!pack) return;
  if (packId !== pack.id || pack.changedAt > requestedAt)
    throw problem.conflict(`“${name}” was accepted since this import was read. Discard it and import again.`);
  if (pack.signer !== null && pack.signer !== signer)
    throw problem.conflict(`“${name}” is signed with the key ${keyName(pack.signer)}; this import isn’t.`);
}
