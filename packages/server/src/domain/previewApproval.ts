/** Second person for a change that hides alerts of malicious cases: the one who previewed exactly this change is the first (docs/decisions/0066-rule-preview.md). */
import { problem } from '@parapet/contract/problem.ts';
import type { RuleChange } from '@parapet/contract/rulePreviews.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import type { Actor } from '../core/http/actor.ts';
import { type ApproverFault, faultOf, faultTexts } from './approvers.ts';
import type { PreviewState } from './previewQueue.ts';

/** Throws conflict unless another person than the actor has previewed the change. */
export async function requireApproval(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  change: RuleChange,
  { caseIds, previewId, now }: { caseIds: readonly number[]; previewId: number | null; now: number },
): Promise<void> {
  if (caseIds.length === 0) return;
  const named = hidesText(caseIds);
  const { rows: previews } = await sql<{ state: PreviewState; change: RuleChange; requestedById: number | null }>`
    select state, change, requested_by as "requestedById" from rule_previews
    where ${within('organisation_id', scope)} and id = ${previewId}::integer`.execute(tx);
  const preview = previews[0];
  if (!preview || !isSame(preview.change, change))
    throw problem.conflict(`${named} A second person must save it, from a preview of this change that you run.`);
  if (preview.state !== 'done')
    throw problem.conflict(`${named} The preview of this change is ${preview.state}. Run it to its end, or run it again.`);
  const { rows } = await sql<{ fault: ApproverFault | null }>`
    select ${faultOf(sql`${preview.requestedById}::integer`, actor.userId, new Date(now))} as fault`.execute(tx);
  const fault = actor.apiKey ? 'requester' : rows[0]?.fault;
  if (fault) throw problem.conflict(`${named} ${faultTexts[fault]}`);
}

/** Names the malicious cases, at most ten. */
export const hidesText = (caseIds: readonly number[]): string =>
  `It would hide alerts of ${caseIds.length === 1 ? 'malicious case' : 'malicious cases'} ${caseIds.slice(0, 10).join(', ')}.`;

const isSame = (a: RuleChange, b: RuleChange): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
