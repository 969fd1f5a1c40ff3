/** Malicious cases that a change would hide alerts of, by the events that those alerts keep: the check at saving, and named in previews. */
import { providerId } from '@parapet/contract/access.ts';
import type { RuleChange } from '@parapet/contract/rulePreviews.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { maliciousMs } from '../../domain/previewQueue.ts';
import { filterHides } from '../../pipeline/rule-check.ts';
import type { RuleSet } from '../../pipeline/rule-set.ts';
import { listClients, listMaliciousCopies, type PreviewResult } from './previews.store.ts';

const maxClients = 10_000;

export type HidingChange = Extract<RuleChange, { kind: 'exception' | 'override' }>;

/** True for changes that can hide alerts; suppressions have a check of their own. */
export const isHiding = (change: RuleChange): change is HidingChange =>
  change.kind === 'exception' || (change.kind === 'override' && change.isOn === false);

/** Sorted by case. */
export async function listHiddenCases(
  tx: Tx,
  scope: Scope,
  { rules }: Pick<RuleSet, 'rules'>,
  change: HidingChange,
  now: number,
): Promise<PreviewResult['maliciousCases']> {
  const organisationId = change.clientOrganizationID;
  const rule = rules.get(change.ruleID);
  const hides = change.kind === 'exception' && rule ? filterHides(change.yaml, rule) : () => true;
  const clients = await listClients(tx, scope, organisationId, organisationId === providerId, maxClients);
  const copies = await listMaliciousCopies(tx, scope, clients, change.ruleID, new Date(now - maliciousMs));
  const shown = new Set(copies.filter(({ document }) => !hides(document)).map(({ alertId }) => alertId));
  const hidden = new Map<number, { organisationId: number; alertIds: Set<number> }>();
  for (const { caseId, organisationId, alertId } of copies) {
    if (shown.has(alertId)) continue;
    const found = hidden.get(caseId) ?? { organisationId, alertIds: new Set() };
    found.alertIds.add(alertId);
    hidden.set(caseId, found);
  }
  return [...hidden]
    .map(([caseId, { organisationId, alertIds }]) => ({ caseId, organisationId, alerts: alertIds.size }))
    .sort((a, b) => a.caseId - b.caseId);
}
