/**
 * Simulated analysts of the demo. They work each case towards the ending of its story, through the application’s services and at simulated
 * times; steps due after the end of the history are left open.
 */
import { personas } from '@parapet/world/personas.ts';
import { sql } from 'kysely';
import type { movableClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped } from '../../core/db/scope.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { readAlertEventIds } from '../../domain/alertEvents.ts';
import { type AnalystActions, type FreshCase, type PlanDeps, planCase, type Step } from './demo.plan.ts';
import { playResponses } from './demo.responses.ts';
import { playStudio, type StudioActions } from './demo.studio.ts';

/** Actors of the demo accounts, by persona. */
const loadActors = (db: Database): Promise<Map<string, Actor>> =>
  readScoped(db, 'system', async (tx) => {
    const actors = new Map<string, Actor>();
    const users = await tx
      .selectFrom('users')
      .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
      .select(['users.id', 'users.email', 'users.first_name', 'users.last_name', 'users.role', 'organisation_id', 'is_partner'])
      .where(
        'users.email',
        'in',
        personas.map(({ email }) => email),
      )
      .execute();
    const organisations = await tx.selectFrom('organisations').select(['id', 'parent_id']).execute();
    for (const user of users) {
      const persona = personas.find(({ email }) => email === user.email)!;
      const home = user.organisation_id;
      const organisationIds = organisations
        .filter(({ id, parent_id }) => home === 1 || id === home || (user.is_partner && parent_id === home))
        .map(({ id }) => id);
      actors.set(persona.persona, {
        userId: user.id,
        sessionId: '',
        role: user.role,
        isPartner: user.is_partner,
        organisationId: home,
        organisationIds,
        displayName: `${user.first_name} ${user.last_name}`,
        email: user.email,
        ...neverProven,
        // Demo actors always pass step-up authentication.
        provenAt: Number.POSITIVE_INFINITY,
        address: '',
      });
    }
    return actors;
  });

/** Open cases but those in `seen`. */
const listFreshCases = (db: Database, organisationId: number, seen: ReadonlySet<number>): Promise<FreshCase[]> =>
  readScoped(db, { organisationIds: [organisationId] }, async (tx) => {
    const scope = { organisationIds: [organisationId] };
    const { rows } = await sql<Omit<FreshCase, 'eventIds'> & { alerts: { id: number; at: string }[] }>`
      select c.id, c.organisation_id as "organisationId", c.created_at as "createdAt", c.last_alert_at as "lastAlertAt", c.criticality, c.verdict,
        c.device_names as devices, c.user_names as users, c.title,
        (select coalesce(jsonb_agg(jsonb_build_object('id', a.alert_id, 'at', a.alert_at)), '[]') from case_alerts a where a.case_id = c.id) as alerts
      from cases c where c.organisation_id = ${organisationId} and c.closed_at is null and not (c.id = any(${[...seen]}::integer[])) order by c.id`.execute(
      tx,
    );
    const refs = rows.flatMap(({ alerts }) => alerts.map(({ id, at }) => ({ id, at: new Date(at) })));
    const ids = await readAlertEventIds(tx, scope, refs);
    return rows.map(({ alerts, ...found }) => ({
      ...found,
      eventIds: [...new Set(alerts.flatMap(({ id }) => ids.get(id) ?? []))].sort(),
    }));
  });

/** Services on a clock of their own. */
export interface AnalystServices {
  clock: ReturnType<typeof movableClock>;
  actions: AnalystActions;
}

export interface AnalystsDeps extends Omit<PlanDeps, 'actor' | 'actions'> {
  db: Database;
  /** Cases are spread over them, and worked beside each other; each keeps the order of its steps. */
  parallel: readonly AnalystServices[];
  /** Number of the stage that the first of the newest cases is left in. */
  firstStage?: number;
  log: Log;
}

export function createSimulatedAnalysts({ db, parallel, firstStage = 0, log, ...deps }: AnalystsDeps) {
  let actors = new Map<string, Actor>();
  const seen = new Set<number>();
  let steps: Step[] = [];
  const newest = { count: firstStage };
  const actor = (persona: string): Actor => actors.get(persona)!;
  const servicesOf = (caseId: number): AnalystServices => parallel[caseId % parallel.length]!;
  const workOn = async ({ clock }: AnalystServices, due: readonly Step[]) => {
    for (const { at, caseId, run } of due) {
      clock.moveTo(at);
      try {
        await run();
      } catch (error) {
        log.debug({ err: error, caseId }, 'skipped a refused step of the demo analysts');
      }
    }
  };

  return {
    /** Picks up an organisation’s new cases. `end` is the end of the history. */
    async pickUp(organisationId: number, end: number): Promise<void> {
      if (actors.size === 0) actors = await loadActors(db);
      for (const found of await listFreshCases(db, organisationId, seen)) {
        seen.add(found.id);
        steps.push(
          ...planCase({ ...deps, actions: servicesOf(found.id).actions, actor }, found, end, newest).filter(({ at }) => at < end),
        );
      }
      steps.sort((a, b) => a.at - b.at);
    },

    /** At the end of the history: responses without a case, rules of a partner, and a client’s scheduled report. */
    async finish(end: number, studio: StudioActions): Promise<void> {
      if (actors.size === 0) actors = await loadActors(db);
      const { clock, actions } = parallel[0]!;
      await playResponses({ db, clock, actions: actions.responses, actor, end, log });
      await playStudio({
        actions: studio,
        admin: actor('partnerAdmin'),
        analysts: [actor('partnerAnalyst'), actor('partnerSuperAnalyst')],
        end,
        log,
      });
      const recipients = personas
        .filter(({ persona }) => persona === 'manager' || persona === 'clientAdmin')
        .map(({ email }) => email);
      await actions.scheduleReport(actor('partnerAdmin'), actor('manager').organisationId, { dayOfMonth: 3, recipients });
    },

    /** Runs the steps due by then. Steps the case no longer allows are skipped. */
    async work(until: number): Promise<void> {
      const due = steps.filter(({ at }) => at <= until);
      steps = steps.slice(due.length);
      await Promise.all(
        [...Map.groupBy(due, ({ caseId }) => servicesOf(caseId))].map(([services, own]) => workOn(services, own)),
      );
    },
  };
}
