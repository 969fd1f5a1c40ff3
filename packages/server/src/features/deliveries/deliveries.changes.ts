/** Changes of targets, each with its audit entry. */
import type { TargetKind } from '@parapet/connectors/out/target.ts';
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import { isDuplicate, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { checkValues, pick } from '../../domain/fields.ts';
import type { Values } from '../../domain/vault.ts';
import { type DeliveriesDeps, type FindTarget, mayUse } from './deliveries.deps.ts';
import { shownTarget } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';
import { callbackSecretIn, rotated } from './deliveries.vault.ts';

const nameTaken = (name: string) => problem.conflict(`A target named "${name}" already exists.`);

export function createChanges(deps: DeliveriesDeps, find: FindTarget) {
  const { db, clock, vault, kindOf } = deps;

  const kindFor = (actor: Actor, id: string): TargetKind => {
    const kind = kindOf(id);
    if (!kind) throw problem.notFound('kind of target', id);
    if (!mayUse(actor, kind)) throw problem.forbidden(`${kind.title} can be added by your provider only. Contact them.`);
    return kind;
  };

  return {
    async createTarget(
      actor: Actor,
      client: number,
      { kind: kindId, name, values }: { kind: string; name: string; values: Values },
    ): Promise<AnswerOf<typeof deliveriesApi.createTarget>> {
      const scope = scopeFor(actor, client);
      const kind = kindFor(actor, kindId);
      checkValues(kind.fields, values);
      const id = await scoped(db, scope, store.newTargetId);
      const generated = rotated(kind, {}, clock.now());
      const secrets = await vault.seal(client, id, { ...pick(kind.fields, values, true), ...generated?.secrets });
      const target = await scoped(db, scope, async (tx) => {
        const row = { id, organisationId: client, kind: kindId, name, settings: pick(kind.fields, values, false), secrets };
        if (!(await store.insertTarget(tx, { ...row, follows: kind.follows }))) throw nameTaken(name);
        const after = { kind: kindId, name };
        await recordAudit(tx, actor, { action: 'deliveryTarget.created', organisationId: client, target: String(id), after });
        return shownTarget(await find(tx, actor, scope, id), kind, clock.now());
      });
      return { target, secret: generated?.secret ?? null };
    },

    async updateTarget(actor: Actor, client: number, id: number, set: store.TargetSet): Promise<void> {
      const scope = scopeFor(actor, client);
      const change = scoped(db, scope, async (tx) => {
        const before = shownTarget(await find(tx, actor, scope, id), undefined, clock.now());
        await store.updateTarget(tx, scope, id, set);
        const entry = { organisationId: before.clientOrganizationID, target: String(id) };
        const wasPaused = before.state === 'paused';
        if (wasPaused !== set.isPaused)
          await recordAudit(tx, actor, { action: set.isPaused ? 'deliveryTarget.paused' : 'deliveryTarget.resumed', ...entry });
        const [from, to] = [before, set].map(({ name, quiet }) => ({ name, quiet })) as [Named, Named];
        if (JSON.stringify(from) !== JSON.stringify(to))
          await recordAudit(tx, actor, { action: 'deliveryTarget.changed', ...entry, before: from, after: to });
        await publish(tx, 'deliveries.due', {});
      });
      await change.catch((error) => {
        throw isDuplicate(error) ? nameTaken(set.name) : error;
      });
    },

    /** Rotates a generated secret; others are replaced by the given values. Failed deliveries are tried again at once. */
    async replaceSecrets(
      actor: Actor,
      client: number,
      id: number,
      values: Values,
    ): Promise<AnswerOf<typeof deliveriesApi.replaceSecrets>> {
      const scope = scopeFor(actor, client);
      const stored = await scoped(db, scope, async (tx) => {
        await find(tx, actor, scope, id);
        return (await store.findValues(tx, scope, id))!;
      });
      const { organisationId } = stored;
      const kind = kindFor(actor, stored.kind);
      checkValues(
        kind.fields.filter(({ isSecret }) => isSecret),
        values,
      );
      const before = kind.generated === undefined && !kind.callbacks ? {} : await vault.open(stored);
      const generated = rotated(kind, before, clock.now());
      const secrets = await vault.seal(organisationId, id, { ...values, ...generated?.secrets, ...callbackSecretIn(before) });
      await scoped(db, scope, async (tx) => {
        await store.updateSecrets(tx, scope, id, { settings: { ...stored.settings, ...generated?.settings }, secrets });
        await recordAudit(tx, actor, { action: 'deliveryTarget.secretsReplaced', organisationId, target: String(id) });
        await publish(tx, 'deliveries.due', {});
      });
      return { secret: generated?.secret ?? null };
    },

    async removeTarget(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind, name } = await find(tx, actor, scope, id);
        await store.removeTarget(tx, scope, id);
        await recordAudit(tx, actor, {
          action: 'deliveryTarget.removed',
          organisationId,
          target: String(id),
          before: { kind, name },
        });
      });
    },
  };
}

type Named = Pick<store.TargetSet, 'name' | 'quiet'>;
