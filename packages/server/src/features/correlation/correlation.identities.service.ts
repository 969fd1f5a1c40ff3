/** Identities of a client as analysts see and change them: user names that its rules join. */

import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { Identity, identitiesApi } from '@parapet/contract/identities.ts';
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { containing } from '../../core/db/like.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { type AuditChange, recordAudit } from '../../domain/audit.ts';
import { findShownName } from '../../domain/visibility.ts';
import { listIdentityRules } from './correlation.identities.store.ts';
import { type IdentityRule, notationOf } from './correlation.identities.ts';
import type { CorrelationService } from './correlation.service.ts';

type BodyOf<K extends 'merge' | 'switchRule'> = z.output<(typeof identitiesApi)[K]['body']>;

const namesShown = 100;
const rulesShown = 1_000;
const ranks: Record<IdentityRule['origin'], number> = { manual: 0, learnt: 1, default: 2 };

export interface IdentitiesDeps {
  db: Database;
  clock: Clock;
  correlation: Pick<CorrelationService, 'changeIdentityRule'>;
}
export type IdentitiesService = ReturnType<typeof createIdentitiesService>;

export function createIdentitiesService({ db, clock, correlation }: IdentitiesDeps) {
  /** Rules change in the client’s scope, with the name by which its people know the actor. */
  const change = async (
    actor: Actor,
    client: number,
    rule: Pick<IdentityRule, 'kind' | 'name' | 'isActive' | 'reason'> & { sameAs?: string },
    entry: AuditChange<'identity.merged' | 'identity.ruleSwitched'>,
  ): Promise<void> => {
    scopeFor(actor, client);
    const by = await readScoped(db, 'system', (tx) =>
      findShownName(tx, client, { userId: actor.userId, name: actor.displayName }),
    );
    await correlation.changeIdentityRule(client, { ...rule, by, now: new Date(clock.now()) });
    await scoped(db, 'system', (tx) => recordAudit(tx, actor, { ...entry, organisationId: client, target: rule.name }));
  };

  return {
    async list(
      actor: Actor,
      client: number,
      { text, page, pageSize }: z.output<typeof identitiesApi.list.query>,
    ): Promise<AnswerOf<typeof identitiesApi.list>> {
      return readScoped(db, scopeFor(actor, client), async (tx) => {
        const rules = await listIdentityRules(tx, client);
        return {
          ...(await listIdentities(tx, client, { text, limit: pageSize, offset: (page - 1) * pageSize })),
          rules: rules.toSorted((a, b) => ranks[a.origin] - ranks[b.origin] || a.id - b.id).slice(0, rulesShown),
        };
      });
    },

    /** Throws invalid for names that stand for no single account, or for the same one. */
    async merge(actor: Actor, { clientOrganizationID: client, reason, ...given }: BodyOf<'merge'>): Promise<void> {
      const [name, sameAs] = [accountValue(given.name), accountValue(given.sameAs)];
      const fault = (value: string | undefined) =>
        value ? [] : ['Many accounts share this name. Enter the name of one person.'];
      if (!name || !sameAs) throw problem.invalid({ name: fault(name), sameAs: fault(sameAs) });
      if (name === sameAs) throw problem.invalid({ sameAs: ['Both names are the same account already.'] });
      const rule = { kind: 'account' as const, name, sameAs, isActive: true, reason };
      await change(actor, client, rule, { action: 'identity.merged', after: { name, sameAs, reason } });
    },

    async switchRule(actor: Actor, { clientOrganizationID: client, ...rule }: BodyOf<'switchRule'>): Promise<void> {
      scopeFor(actor, client);
      const rules = await readScoped(db, { organisationIds: [client] }, (tx) => listIdentityRules(tx, client));
      if (!rules.some(({ kind, name }) => kind === rule.kind && name === rule.name))
        throw problem.notFound('identity rule', `${rule.kind} ${rule.name}`);
      await change(actor, client, rule, { action: 'identity.ruleSwitched', after: rule });
    },
  };
}

const accountValue = (name: string): string | undefined => notationOf(name, null)?.value;

/** Users with alerts, the one with the most first, by the name that people read. */
async function listIdentities(
  tx: Tx,
  client: number,
  { text, limit, offset }: { text: string; limit: number; offset: number },
): Promise<{ results: Identity[]; total: number }> {
  const { rows } = await sql<Identity & { total: number }>`
    select i.shown_name as identity, (array_agg(i.user_name order by r.alerts desc, i.user_name))[1:${sql.lit(namesShown)}] as names,
      count(*)::integer as "nameCount", sum(r.alerts)::integer as alerts, (count(*) over ())::integer as total
    from identity_names i
    join (select user_name, sum(count) as alerts from rollup_month_user where organisation_id = ${client} group by 1) r on r.user_name = i.user_name
    where i.organisation_id = ${client} group by i.shown_name
    having bool_or(i.user_name ilike ${containing(text)}) order by alerts desc, 1 limit ${limit} offset ${offset}`.execute(tx);
  return { results: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
}
