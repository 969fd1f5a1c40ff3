/** Approval rules, protected assets and the single-operator setting (docs/decisions/0024-second-person.md). */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { ApprovalPolicy, ApprovalRule, ProtectedAsset, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { shownAsset, shownPolicy, shownRule } from './responseRequests.rows.ts';
import {
  countOf,
  countStaff,
  findPolicy,
  insertAsset,
  insertRule,
  listAssets,
  listRules,
  removeAsset,
  removeRule,
  updatePolicy,
} from './responseRequests.store.ts';
import type { Input } from './responses.deps.ts';

const maxRules = 200;
const maxAssets = 1_000;

interface PolicyDeps {
  db: Database;
  clock: Clock;
}

export function createApprovalPolicy({ db, clock }: PolicyDeps) {
  return {
    async getPolicy(actor: Actor): Promise<ApprovalPolicy> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => shownPolicy(await findPolicy(tx, scope)), { readOnly: true });
    },

    async setPolicy(actor: Actor, { isSingleOperator }: Input<'setPolicy', 'body'>): Promise<ApprovalPolicy> {
      return scoped(db, 'system', async (tx) => {
        const before = await findPolicy(tx, scopeOf(actor));
        const staff = await countStaff(tx);
        if (isSingleOperator && staff > 1)
          throw problem.conflict(
            `${staff} members of staff may respond here, so a second person can approve. This is for an installation of one.`,
          );
        await updatePolicy(tx, isSingleOperator, actor, new Date(clock.now()));
        await recordAudit(tx, actor, {
          action: 'approvalPolicy.changed',
          organisationId: actor.organisationId,
          before: { isSingleOperator: before.is_single_operator },
          after: { isSingleOperator },
        });
        return shownPolicy(await findPolicy(tx, scopeOf(actor)));
      });
    },
  };
}

export function createApprovalRules({ db, clock }: PolicyDeps) {
  return {
    async listRules(actor: Actor, client: number): Promise<AnswerOf<typeof responseRequestsApi.listRules>> {
      const scope = scopeFor(actor, client);
      const rows = await scoped(db, scope, (tx) => listRules(tx, scope, client), { readOnly: true });
      return { results: rows.map(shownRule), total: rows.length };
    },

    async addRule(actor: Actor, client: number, body: Input<'addRule', 'body'>): Promise<ApprovalRule> {
      return scoped(db, scopeFor(actor, client), async (tx) => {
        if ((await countOf(tx, 'approval_rules', client)) >= maxRules)
          throw problem.conflict(`A client has at most ${maxRules} approval rules. Remove one first.`);
        const { action, deviceType, hours, approvers, persons, silence, waitMinutes } = body;
        const rule = await insertRule(tx, {
          organisation_id: client,
          action,
          device_type: deviceType,
          hours,
          approvers,
          persons,
          silence,
          wait_minutes: waitMinutes,
          created_by: actor.userId,
          created_at: new Date(clock.now()),
        });
        if (!rule)
          throw problem.conflict(
            'A rule for this action, device type and hours already exists. Remove it first, or select others.',
          );
        await recordAudit(tx, actor, {
          action: 'approvalRule.added',
          organisationId: client,
          target: String(rule.id),
          after: body,
        });
        return shownRule(rule);
      });
    },

    async removeRule(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const removed = await removeRule(tx, scope, client, id);
        if (!removed) throw problem.notFound('approval rule', id);
        await recordAudit(tx, actor, {
          action: 'approvalRule.removed',
          organisationId: client,
          target: String(id),
          before: shownRule(removed),
        });
      });
    },
  };
}

export function createProtectedAssets({ db, clock }: PolicyDeps) {
  return {
    async listProtected(actor: Actor, client: number): Promise<AnswerOf<typeof responseRequestsApi.listProtected>> {
      const scope = scopeFor(actor, client);
      const rows = await scoped(db, scope, (tx) => listAssets(tx, scope, client), { readOnly: true });
      return { results: rows.map(shownAsset), total: rows.length };
    },

    async addProtected(actor: Actor, client: number, body: Input<'addProtected', 'body'>): Promise<ProtectedAsset> {
      return scoped(db, scopeFor(actor, client), async (tx) => {
        if ((await countOf(tx, 'protected_assets', client)) >= maxAssets)
          throw problem.conflict(`A client has at most ${maxAssets} protected assets. Remove one first.`);
        const asset = await insertAsset(tx, {
          organisation_id: client,
          ...body,
          created_by: actor.userId,
          created_by_name: actor.displayName,
          created_at: new Date(clock.now()),
        });
        if (!asset) throw problem.conflict(`The ${body.kind} "${body.value}" is already protected.`);
        await recordAudit(tx, actor, {
          action: 'asset.protected',
          organisationId: client,
          target: String(asset.id),
          after: body,
        });
        return shownAsset(asset);
      });
    },

    async removeProtected(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const removed = await removeAsset(tx, scope, client, id);
        if (!removed) throw problem.notFound('protected asset', id);
        const { kind, value, reason } = removed;
        await recordAudit(tx, actor, {
          action: 'asset.unprotected',
          organisationId: client,
          target: String(id),
          before: { kind, value, reason },
        });
      });
    },
  };
}
