/** Manual moves of alerts between cases. Figures and artifacts of both cases are recomputed. */

import { manualReason } from '@parapet/contract/rules/grouping.ts';
import type { Tx } from '../../core/db/scope.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import { addArtifacts, refreshCases } from './correlation.cases.ts';
import { aboutAlert, partyOf } from './correlation.entities.ts';
import { readIdentities, usersOf } from './correlation.identities.read.ts';
import { listIdentityRules } from './correlation.identities.store.ts';
import * as store from './correlation.store.ts';

interface PlacedAlert {
  id: number;
  at: Date;
  ruleId: number;
  criticality: number;
}

/** The caller holds the locks of both cases, acquired in the order of their ids. */
export async function moveAlertManually(
  tx: Tx,
  organisationId: number,
  alert: PlacedAlert,
  { from, to }: { from: number | undefined; to: number },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('case_alerts')
    .values({
      organisation_id: organisationId,
      case_id: to,
      alert_id: alert.id,
      alert_at: alert.at,
      rule_id: alert.ruleId,
      criticality: alert.criticality,
      joined_by: manualReason,
    })
    .onConflict((conflict) => conflict.columns(['alert_id', 'alert_at']).doUpdateSet({ case_id: to, joined_by: manualReason }))
    .execute();
  await store.removeQueued(tx, organisationId, [alert.id]);
  await store.placeEntities(tx, organisationId, [{ id: alert.id, caseId: to }]);
  await insertEntitiesOf(tx, organisationId, alert, to);
  await recomputeCases(tx, organisationId, from === undefined ? [to] : [from, to], now);
}

/** Adds the entities that are stored of alerts in cases only. */
async function insertEntitiesOf(tx: Tx, organisationId: number, alert: PlacedAlert, caseId: number): Promise<void> {
  const [found] = await store.readAlerts(tx, organisationId, [alert]);
  if (!found) return;
  const fields = await store.readFields(tx, organisationId, [alert]);
  const sharedDevices = await listSharedDevices(tx, organisationId);
  const isSharedDevice = sharedDevices.has(found.deviceName?.toLowerCase() ?? '');
  const { id: alertId, ruleId, criticality } = alert;
  const at = alert.at.getTime();
  const about = aboutAlert({ ...found, at, isSharedDevice }, fields.get(alertId) ?? []);
  const { entities } = about;
  const identities = await readIdentities(tx, organisationId, await listIdentityRules(tx, organisationId), usersOf([{ about }]));
  const party = partyOf(found, isSharedDevice, identities);
  const rows = entities.map((entity) => ({ ...entity, alertId, at, party, ruleId, criticality, caseId }));
  await store.insertEntities(tx, organisationId, rows);
}

/** Recomputes figures and artifacts of cases whose alerts changed. The caller holds their locks. */
export async function recomputeCases(tx: Tx, organisationId: number, caseIds: readonly number[], now: Date): Promise<void> {
  if (caseIds.length === 0) return;
  await tx
    .deleteFrom('case_artifacts')
    .where('organisation_id', '=', organisationId)
    .where('case_id', 'in', [...caseIds])
    .execute();
  const sharedDevices = await listSharedDevices(tx, organisationId);
  for (const caseId of caseIds) {
    const members = await tx
      .selectFrom('case_alerts')
      .select(['alert_id as id', 'alert_at as at'])
      .where('organisation_id', '=', organisationId)
      .where('case_id', '=', caseId)
      .execute();
    if (members.length === 0) await emptyCase(tx, organisationId, caseId);
    const fields = await store.readFields(tx, organisationId, members);
    const alerts = await store.readAlerts(tx, organisationId, members);
    await addArtifacts(
      tx,
      organisationId,
      alerts.flatMap((each) => {
        const isSharedDevice = sharedDevices.has(each.deviceName?.toLowerCase() ?? '');
        const about = aboutAlert({ ...each, at: each.at.getTime(), isSharedDevice }, fields.get(each.id) ?? []);
        return about.artifacts.map((artifact) => ({ ...artifact, caseId }));
      }),
    );
  }
  await refreshCases(tx, organisationId, caseIds, () => now);
}

/** Resets the figures of a case without alerts. */
async function emptyCase(tx: Tx, organisationId: number, caseId: number): Promise<void> {
  await tx
    .updateTable('cases')
    .set({ score: 0, percentage: 0, alert_count: 0, new_count: 0, tactics: [], device_names: [], user_names: [] })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', caseId)
    .execute();
}
