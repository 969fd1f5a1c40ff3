/** Grouping sets as the provider reads and changes them: versions of an organisation, from draft to live. */
import { allClients, providerId } from '@parapet/contract/access.ts';
import type { caseGroupingApi, GroupingSetInput } from '@parapet/contract/caseGrouping.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { groupingParameters, parameterById } from '@parapet/contract/rules/grouping.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import type { GroupingState } from '../../core/db/tables.rules.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit, storableJson } from '../../domain/audit.ts';
import { requirePreview } from './correlation.grouping.gate.ts';
import * as previews from './correlation.grouping.previews.store.ts';
import { type GroupingSet, setOf, valuesOf } from './correlation.grouping.ts';
import * as store from './correlation.grouping.versions.store.ts';

export interface GroupingDeps {
  db: Database;
  clock: Clock;
}

type BodyOf<K extends 'saveDraft' | 'changeState'> = z.output<(typeof caseGroupingApi)[K]['body']>;

const maxVersions = 200;
const following: Readonly<Record<GroupingState, readonly GroupingState[]>> = {
  draft: ['shadow', 'live', 'retired'],
  shadow: ['draft', 'live', 'retired'],
  // Another version takes its place: one without differences inherits again.
  live: [],
  retired: ['draft'],
};

/** Sets hold for clients of all partners, so that they are the provider’s alone. */
export function groupingScope(actor: Actor, organisationId: number): Scope {
  if (!actor.organisationIds.includes(providerId)) throw problem.forbidden('Case grouping is managed by the provider.');
  return scopeFor(actor, organisationId);
}

export const inputOf = ({ parameters, common }: GroupingSet): GroupingSetInput => ({
  parameters: Object.entries(parameters).flatMap(([parameter, value]) =>
    parameterById.has(parameter) ? [{ parameter, value }] : [],
  ),
  common: [...common],
});

export async function getGrouping(
  { db }: GroupingDeps,
  actor: Actor,
  client: number,
): Promise<AnswerOf<typeof caseGroupingApi.get>> {
  const organisationId = client || providerId;
  groupingScope(actor, organisationId);
  // Also of the organisations above, whose sets it inherits.
  const scope = groupingScope(actor, allClients);
  return readScoped(db, scope, async (tx) => {
    const chain = await store.chainOf(tx, organisationId);
    const own = { organisationIds: [organisationId] };
    const [rows, versions, history, overrides, names] = [
      await previews.listLive(tx, chain),
      await store.listVersions(tx, own),
      await store.listHistory(tx, own),
      await store.listOverrides(tx, scope),
      await store.nameOf(tx, organisationId),
    ];
    const layers = new Map(chain.flatMap((id) => (rows.has(id) ? [[id, rows.get(id)!]] : [])));
    const values = valuesOf(layers);
    const inherited = valuesOf(new Map([...layers].filter(([id]) => id !== organisationId)));
    const fromOf = (id: number | undefined) => {
      if (id === undefined) return 'builtIn' as const;
      if (id === organisationId) return 'own' as const;
      return id === providerId ? ('provider' as const) : ('partner' as const);
    };
    return {
      clientOrganizationID: organisationId,
      organisation: names,
      parameters: groupingParameters.map(({ id, builtIn }) => ({
        parameter: id,
        value: values.get(id)?.value ?? builtIn,
        inherited: inherited.get(id)?.value ?? builtIn,
        from: fromOf(values.get(id)?.organisationId),
      })),
      inheritedCommon: [...layers].flatMap(([id, { common }]) => (id === organisationId ? [] : common)).slice(0, 500),
      versions: versions.map(({ createdAt, parameters, common, shadow, ...row }) => ({
        ...row,
        ...inputOf({ parameters, common }),
        createdTime: createdAt.toISOString(),
        shadow,
      })),
      overrides,
      history: history.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })),
    };
  });
}

export async function saveDraft(
  { db }: GroupingDeps,
  actor: Actor,
  draft: BodyOf<'saveDraft'>,
): Promise<{ id: number; version: number }> {
  const organisationId = draft.clientOrganizationID;
  const scope = groupingScope(actor, organisationId);
  const set = setOf(draft);
  return scoped(db, scope, async (tx) => {
    await store.lockVersions(tx, organisationId);
    const newest = await store.newestVersion(tx, organisationId);
    if (newest !== draft.afterVersion)
      throw problem.conflict(`Version ${newest} of this set was saved since you opened it. Reload to see it.`);
    if (newest >= maxVersions) throw problem.conflict(`A set has at most ${maxVersions} versions.`);
    const version = newest + 1;
    const note = storable(draft.note);
    const { id } = await tx
      .insertInto('grouping_versions')
      .values({
        organisation_id: organisationId,
        version,
        state: 'draft',
        parameters: storableJson(set.parameters),
        common: storableJson(set.common),
        note,
        author_id: actor.userId,
        author_name: actor.displayName,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await store.addHistory(tx, actor, { organisationId, version, action: 'Draft saved', why: note });
    const after = {
      version,
      note,
      parameters: Object.entries(set.parameters).map(([name, value]) => `${name} = ${value}`),
      common: set.common.length,
    };
    await recordAudit(tx, actor, { action: 'caseGrouping.drafted', organisationId, target: String(id), after });
    return { id, version };
  });
}

export async function changeState(
  deps: GroupingDeps,
  actor: Actor,
  id: number,
  { state, why, previewID }: BodyOf<'changeState'>,
): Promise<Record<never, never>> {
  const scope = groupingScope(actor, allClients);
  await scoped(deps.db, scope, async (tx) => {
    const found = await store.findVersion(tx, scope, id);
    if (!found) throw problem.notFound('version', id);
    const { organisationId, version } = found;
    await store.lockVersions(tx, providerId);
    if (found.state === state) return;
    if (!following[found.state].includes(state))
      throw problem.conflict(
        found.state === 'live'
          ? `Version ${version} is live. Another version takes its place; one without differences inherits again.`
          : `Version ${version} is ${found.state}; it can’t become ${state}.`,
      );
    if (state === 'live') {
      await requirePreview(tx, actor, scope, found, previewID, deps.clock.now());
      await store.leaveState(tx, organisationId, 'live', 'retired');
    }
    if (state === 'shadow') {
      await store.leaveState(tx, organisationId, 'shadow', 'draft');
      await store.forgetShadow(tx, scope, id);
    }
    await tx
      .updateTable('grouping_versions')
      .set({ state })
      .where('id', '=', id)
      .where('organisation_id', '=', organisationId)
      .execute();
    await store.addHistory(tx, actor, {
      organisationId,
      version,
      action: `State: ${found.state} → ${state}`,
      why: storable(why),
    });
    await recordAudit(tx, actor, {
      action: 'caseGrouping.stateChanged',
      organisationId,
      target: String(id),
      before: { version, state: found.state },
      after: { state, why },
    });
  });
  return {};
}
