/** Previews: a change to a rule judged over stored events before it is saved. */

import { providerId } from '@parapet/contract/access.ts';
import type { rulesApi } from '@parapet/contract/detectionRules.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { isSpecific, maxPreviewClients, needsMatch, type RuleChange } from '@parapet/contract/rulePreviews.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { requireApproval } from '../../domain/previewApproval.ts';
import { checkRule, filterFault } from '../../pipeline/rule-check.ts';
import { perAlertOf, timeOf } from './analystRates.ts';
import { isHiding, listHiddenCases } from './previews.malicious.ts';
import * as store from './previews.store.ts';
import { isVisible, type RulesDeps, sightOf, visibleRules } from './rules.sight.ts';
import { listOverrides } from './rules.store.ts';

/** Waiting and running previews of one organisation. */
const maxOpen = 5;

export async function startPreview(
  { db, clock, detector }: RulesDeps,
  actor: Actor,
  { change, days }: z.output<typeof rulesApi.startPreview.body>,
): Promise<{ id: number }> {
  const organisationId = change.clientOrganizationID;
  scopeFor(actor, organisationId);
  checkChange(actor, detector.current(), change);
  const scope = scopeOf(actor);
  const now = clock.now();
  return scoped(db, scope, async (tx) => {
    const own = { organisationIds: [actor.organisationId] };
    if ((await store.queue.countOpen(tx, own)) >= maxOpen)
      throw problem.tooManyRequests(`${maxOpen} previews are under way. Wait for one, or cancel it.`, 30);
    const clientIds =
      change.kind === 'suppression'
        ? [organisationId]
        : await store.listClients(tx, scope, organisationId, organisationId === providerId, maxPreviewClients);
    const id = await store.insertPreview(tx, {
      organisationId: actor.organisationId,
      userId: actor.userId,
      change,
      clientIds,
      firstAt: new Date(now - days * dayMs),
      lastAt: new Date(now),
    });
    await publish(tx, 'rulePreviews.queued', {});
    return { id };
  });
}

function checkChange(actor: Actor, set: ReturnType<RulesDeps['detector']['current']>, change: RuleChange): void {
  if (change.kind === 'suppression') {
    if (!isSpecific(change)) throw problem.invalid({ ruleID: [needsMatch] });
    return;
  }
  if (change.kind !== 'exception' && !mayAs(actor, 'rules:write'))
    throw problem.forbidden('Previews of rules and overrides are for administrators. Preview an exception instead.');
  const { settings } = sightOf(actor, set, change.clientOrganizationID);
  if (change.kind === 'text') {
    const { faults } = checkRule(change.yaml, visibleRules(set, settings, change.ruleID ?? undefined));
    const errors = faults.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw problem.invalid({ yaml: errors.map(({ line, text }) => `Line ${line}: ${text}`) });
    return;
  }
  const rule = set.rules.get(change.ruleID) ?? set.correlations.get(change.ruleID);
  if (!rule || !isVisible(set, settings, change.ruleID)) throw problem.notFound('rule', change.ruleID);
  if (change.kind !== 'exception') return;
  if ('timespanMs' in rule)
    throw problem.invalid({ ruleID: ['A correlation has no event of its own. Add the exception to the rules that it counts.'] });
  const fault = filterFault(change.yaml, rule);
  if (fault) throw problem.invalid({ yaml: [fault] });
}

export async function getPreview({ db }: RulesDeps, actor: Actor, id: number): Promise<AnswerOf<typeof rulesApi.getPreview>> {
  const scope = scopeOf(actor);
  return readScoped(db, scope, async (tx) => {
    const found = await store.findPreview(tx, scope, id);
    if (!found) throw problem.notFound('preview', id);
    const names = await namesOf(tx, scope);
    const { result } = found;
    const perAlert = await perAlertOf(tx, actor);
    // A client that moved since is no longer in scope.
    const inScope = <T extends { organisationId: number }>(rows: readonly T[]) =>
      rows.filter((row) => names.has(row.organisationId));
    const placeOf = (organisationId: number) => ({
      clientOrganizationID: organisationId,
      clientOrganizationName: names.get(organisationId)!,
    });
    const clients = inScope(result?.clients ?? []);
    return {
      id: found.id,
      state: found.state,
      change: found.change,
      start: found.firstAt.toISOString(),
      end: found.lastAt.toISOString(),
      scanned: found.scanned,
      total: Math.max(found.total, found.scanned),
      failure: found.failure,
      requestedBy: found.requestedBy,
      requestedTime: found.requestedAt.toISOString(),
      clients: clients.map(({ organisationId, ...client }) => ({ ...placeOf(organisationId), ...client })),
      analystTime: timeOf(
        clients.reduce((sum, { before, after }) => sum + after - before, 0),
        perAlert,
      ),
      days: result?.days ?? [],
      maliciousCases: inScope(result?.maliciousCases ?? []).map(({ caseId, organisationId, alerts }) => ({
        caseID: caseId,
        clientOrganizationID: organisationId,
        alerts,
      })),
      examples: inScope(result?.examples ?? []).map((example) => ({
        ...placeOf(example.organisationId),
        kind: example.kind,
        rule: example.title.slice(0, 2000),
        criticality: severityOf(example.criticality),
        at: new Date(example.at).toISOString(),
        count: example.count,
        deviceName: example.deviceName,
        userName: example.userName,
        summary: example.summary,
      })),
    };
  });
}

async function namesOf(tx: Tx, scope: Scope): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from organisations where id = any(${scope === 'system' ? [] : [...scope.organisationIds]}::integer[])`.execute(
    tx,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A cancelled or finished one stays as it is. */
export async function cancelPreview({ db }: RulesDeps, actor: Actor, id: number): Promise<Record<never, never>> {
  const scope = scopeOf(actor);
  await scoped(db, scope, async (tx) => {
    if (!(await store.findPreview(tx, scope, id))) throw problem.notFound('preview', id);
    await store.queue.cancel(tx, scope, id);
  });
  return {};
}

/**
 * Refuses a change that would hide alerts of malicious cases, unless a second person saves it: the one who previewed exactly this change is the first.
 */
export async function requireSecondPerson(
  { db, clock, detector }: RulesDeps,
  actor: Actor,
  change: Exclude<RuleChange, { kind: 'suppression' }>,
  previewId: number | null,
): Promise<void> {
  if (!isHiding(change)) return;
  const scope = scopeOf(actor);
  const organisationId = change.clientOrganizationID;
  await readScoped(db, scope, async (tx) => {
    // A change of the reason or severity of a rule that is off already hides nothing more.
    const overrides = change.kind === 'override' ? await listOverrides(tx, scope, change.ruleID) : [];
    if (overrides.some((row) => row.organisationId === organisationId && row.isOn === false)) return;
    const hidden = await listHiddenCases(tx, scope, detector.current(), change, clock.now());
    const caseIds = hidden.map(({ caseId }) => caseId);
    await requireApproval(tx, scope, actor, change, { caseIds, previewId, now: clock.now() });
  });
}
