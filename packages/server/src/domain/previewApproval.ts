/** Second person for a change that hides alerts of malicious cases: the one who previewed exactly this change is the first (docs/decisions/0066-rule-preview.md). */

import { problem } from '@parapet/contract/problem.ts';
import { maxMaliciousCases, type RuleChange } from '@parapet/contract/rulePreviews.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import type { Actor } from '../core/http/actor.ts';
import { pairFault } from './approvers.ts';
import { maliciousMs, type PreviewState, previewAgeMs } from './previewQueue.ts';

interface Preview {
  state: PreviewState;
  change: RuleChange;
  requestedById: number | null;
  requestedAt: Date;
  namedIds: number[];
}

/** Throws conflict unless another person than the actor has previewed the change, within 7 days, and the preview names all these cases. */
export async function requireApproval(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  change: RuleChange,
  { caseIds, previewId, now }: { caseIds: readonly number[]; previewId: number | null; now: number },
): Promise<void> {
  if (caseIds.length === 0) return;
  const named = hidesText(caseIds);
  const { rows: previews } = await sql<Preview>`
    select state, change, requested_by as "requestedById", requested_at as "requestedAt",
      array(select (c ->> 'caseId')::integer from jsonb_array_elements(result -> 'maliciousCases') c) as "namedIds" from rule_previews
    where ${within('organisation_id', scope)} and id = ${previewId}::integer`.execute(tx);
  const preview = previews[0];
  if (!preview || !isSame(preview.change, change))
    throw problem.conflict(`${named} A second person must save it, from a preview of this change that you run.`);
  if (preview.state !== 'done')
    throw problem.conflict(`${named} The preview of this change is ${preview.state}. Run it to its end, or run it again.`);
  const fault =
    staleText(preview, caseIds, now) ??
    (await pairFault(tx, actor, preview.requestedById, { action: 'ran the preview', now: new Date(now) }));
  if (fault) throw problem.conflict(`${named} ${fault}`);
}

/** Reason why a preview no longer shows the loss. A full list names no more cases. */
function staleText({ change, requestedAt, namedIds }: Preview, caseIds: readonly number[], now: number): string | undefined {
  if (now - requestedAt.getTime() > previewAgeMs) return 'The preview is older than 7 days. Run the preview again.';
  const known = new Set(namedIds);
  const missing = caseIds.filter((id) => !known.has(id));
  if (missing.length === 0 || known.size >= maxMaliciousCases) return undefined;
  // Other previews name the cases of 90 days over any range.
  const range = change.kind === 'suppression' ? `, over ${maliciousMs / dayMs} days` : '';
  return `The preview does not name ${casesText(missing)}. Run the preview again${range}.`;
}

/** At most ten are named. */
export const casesText = (caseIds: readonly number[]): string =>
  `${caseIds.length === 1 ? 'malicious case' : 'malicious cases'} ${caseIds.slice(0, 10).join(', ')}`;

/** Names the malicious cases, at most ten. */
export const hidesText = (caseIds: readonly number[]): string => `It would hide alerts of ${casesText(caseIds)}.`;

const isSame = (a: RuleChange, b: RuleChange): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
