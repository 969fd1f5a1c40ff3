/**
 * Gate of a grouping set that goes live: a finished preview of exactly this set, over at least a week or all alerts that are kept. A second person makes
 * it live if malicious cases would lose alerts, or if clients were not judged, whose losses are unknown.
 */

import { providerId } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { minPreviewDays } from '@parapet/contract/rules/grouping.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pairFault } from '../../domain/approvers.ts';
import { casesText } from '../../domain/previewApproval.ts';
import { previewAgeMs } from '../../domain/previewQueue.ts';
import * as previews from './correlation.grouping.previews.store.ts';
import { isSameSet, setOf } from './correlation.grouping.ts';
import type { VersionRow } from './correlation.grouping.versions.store.ts';

export async function requirePreview(
  tx: Tx,
  actor: Actor,
  scope: Scope,
  version: VersionRow,
  previewId: number | null,
  now: number,
): Promise<void> {
  const preview = previewId === null ? undefined : await previews.findPreview(tx, scope, previewId);
  if (!preview || preview.change.clientOrganizationID !== version.organisationId || !isSameSet(setOf(preview.change), version))
    throw problem.conflict('Preview this version before it goes live.');
  if (preview.state !== 'done')
    throw problem.conflict(`The preview of this version is ${preview.state}. Run it to its end, or run it again.`);
  if (now - preview.requestedAt.getTime() > previewAgeMs)
    throw problem.conflict('The preview is older than 7 days. Run it again.');
  if (preview.base !== (await previews.baseOf(tx)))
    throw problem.conflict('Other sets have changed since the preview. Run it again.');
  const isShort = preview.lastAt.getTime() - preview.firstAt.getTime() < minPreviewDays * dayMs;
  if (isShort && (await hasOlderAlerts(tx, scope, preview)))
    throw problem.conflict(
      `The preview covers less than ${minPreviewDays} days, and older alerts are kept. Preview a longer range.`,
    );
  const reasons = [lossesOf(preview), unjudgedText(await countUnjudged(tx, scope, preview))].filter((each) => each !== '');
  if (reasons.length === 0) return;
  const fault = await pairFault(tx, actor, preview.requestedById, { action: 'ran the preview', now: new Date(now) });
  if (fault) throw problem.conflict(`${reasons.join(' ')} ${fault}`);
}

function lossesOf({ result }: previews.GroupingPreviewRow): string {
  const cases = (result?.maliciousCases ?? []).map(({ caseId }) => caseId);
  if (cases.length === 0) return '';
  return `Alerts of ${casesText(cases)} would be in no case.`;
}

const unjudgedText = (count: number): string => {
  if (count === 0) return '';
  return count === 1
    ? 'A client with alerts was not previewed in full, so its losses are unknown.'
    : `${count} clients with alerts were not previewed in full, so their losses are unknown.`;
};

async function hasOlderAlerts(tx: Tx, scope: Scope, { clientIds, firstAt }: previews.GroupingPreviewRow): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (
      select from unnest(${clientIds}::integer[]) c (id) join lateral (
        select from alerts a where ${within('a.organisation_id', scope)} and a.organisation_id = c.id and a.at < ${firstAt} limit 1
      ) older on true
    ) as is`.execute(tx);
  return rows[0]!.is;
}

/**
 * Clients for which the set holds now with alerts of which the preview judged none, or the newest only and less than the gate's days: beyond its limit,
 * new since, or too many alerts.
 */
async function countUnjudged(
  tx: Tx,
  scope: Scope,
  { change: { clientOrganizationID: owner }, firstAt, lastAt, result }: previews.GroupingPreviewRow,
): Promise<number> {
  const needed = Math.max(firstAt.getTime(), lastAt.getTime() - minPreviewDays * dayMs);
  const judged = (result?.clients ?? []).filter(({ isPartial, from }) => !(isPartial && from && Date.parse(from) > needed));
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from organisations o
    where ${within('o.id', scope)} and not o.is_partner and (${owner === providerId} or o.id = ${owner} or o.parent_id = ${owner})
      and not o.id = any (${judged.map(({ organisationId }) => organisationId)}::integer[])
      and exists (select from alerts a where a.organisation_id = o.id)`.execute(tx);
  return rows[0]!.count;
}
