/**
 * Simulated analysts of the demo. They work each case towards the ending of its story, through the application’s services and at simulated
 * times; steps due after the end of the history are left open.
 */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { decisionIds, investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { personas } from '@parapet/world/personas.ts';
import { randomFor } from '@parapet/world/random.ts';
import type { Ending } from '@parapet/world/stories/story.ts';
import { sql } from 'kysely';
import type { movableClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { playResponses, type ResponseActions } from './demo.responses.ts';

/** Analyst actions, as provided by the services. */
export interface AnalystActions {
  assign(actor: Actor, caseId: number): Promise<unknown>;
  investigation(actor: Actor, caseId: number, status: number): Promise<unknown>;
  status(actor: Actor, caseId: number, status: 'investigating' | 'malicious' | 'closed' | 'escalated:closed'): Promise<unknown>;
  seen(actor: Actor, caseId: number): Promise<unknown>;
  note(actor: Actor, caseId: number, text: string, isInternal: boolean): Promise<unknown>;
  narrative(actor: Actor, organisationId: number, caseId: number, text: string): Promise<unknown>;
  escalate(actor: Actor, caseId: number): Promise<unknown>;
  /** Returns the request’s id. */
  isolate(actor: Actor, caseId: number, device: string): Promise<number>;
  review(actor: Actor, caseId: number, decision: number, notes: string): Promise<unknown>;
  judgeDecisioning(actor: Actor, caseId: number, isCorrect: boolean, notes: string): Promise<unknown>;
  responses: ResponseActions;
  /** Schedules a client’s monthly report by email, once. */
  scheduleReport(actor: Actor, organisationId: number, schedule: { dayOfMonth: number; recipients: string[] }): Promise<unknown>;
}

interface FreshCase {
  id: number;
  organisationId: number;
  createdAt: Date;
  lastAlertAt: Date;
  criticality: number;
  verdict: string | null;
  devices: string[];
  users: string[];
  title: string;
  eventIds: string[];
}

interface Step {
  at: number;
  caseId: number;
  run: () => Promise<unknown>;
}

/** A case being planned: times in milliseconds since 1970. */
interface CaseWork {
  found: FreshCase;
  ending: Ending;
  /** Milliseconds from the opening of the case to the end of the history. */
  age: number;
  begun: number;
  settled: number;
  analyst: Actor;
  colleague: Actor;
  random: ReturnType<typeof randomFor>;
  addStep: (at: number, run: () => Promise<unknown>) => unknown;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const closedBy = {
  isolated: investigationStatusIds.malicious,
  malicious: investigationStatusIds.malicious,
  open: investigationStatusIds.malicious,
  benign: investigationStatusIds.benign,
  falsePositive: investigationStatusIds.falsePositive,
} as const;

const turns = [1, 0.4, 0.2, 0.75, 0.6, 1];

const benignNotes = [
  'Checked with the change calendar: planned work. Nothing else on this device in the hours before and after.',
  'Same pattern as last month. The program is signed and its parent is the management agent.',
  'Account owner confirmed by phone that it was them.',
  'No connection left the network. The tool belongs to the IT team:\n- started by the deployment service\n- ended after two minutes',
];

export type SimulatedAnalysts = ReturnType<typeof createSimulatedAnalysts>;

export function createSimulatedAnalysts({
  db,
  clock,
  actions,
  seed,
  endingOf,
  log,
}: {
  db: Database;
  clock: ReturnType<typeof movableClock>;
  actions: AnalystActions;
  seed: number;
  /** Ending of the story an event belongs to; undefined for background events. */
  endingOf: (eventId: string) => Ending | undefined;
  log: Log;
}) {
  const actors = new Map<string, Actor>();
  const seen = new Set<number>();
  let steps: Step[] = [];
  let recent = 0;

  const loadActors = async () => {
    await scoped(db, 'system', async (tx) => {
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
    });
  };
  const actor = (persona: string): Actor => actors.get(persona)!;

  const freshCases = (organisationId: number): Promise<FreshCase[]> =>
    readScoped(
      db,
      { organisationIds: [organisationId] },
      async (tx) =>
        (
          await sql<FreshCase>`
            select c.id, c.organisation_id as "organisationId", c.created_at as "createdAt", c.last_alert_at as "lastAlertAt", c.criticality, c.verdict,
              c.device_names as devices, c.user_names as users, c.title, coalesce(e.ids, '{}') as "eventIds"
            from cases c cross join lateral (
              select array_agg(distinct e.event_id::text) as ids from case_alerts a
              join alert_events e on e.alert_id = a.alert_id and e.alert_at = a.alert_at where a.case_id = c.id
            ) e
            where c.organisation_id = ${organisationId} and c.closed_at is null order by c.id`.execute(tx)
        ).rows,
    );

  /** Steps on a malicious case: narrative, isolation, verdict, note, closing. Returns false when the case stays open. */
  const planIncident = ({ found, ending, age, begun, settled, analyst, colleague, random, addStep }: CaseWork): boolean => {
    const { id } = found;
    const device = found.devices.find((name) => /^(ws|lt|srv|dc)/i.test(name)) ?? found.devices[0];
    addStep(begun + 5 * minute, () =>
      actions.narrative(
        analyst,
        found.organisationId,
        id,
        `${found.title}. We see hands-on activity on ${found.devices.slice(0, 3).join(', ') || 'your accounts'}${found.users[0] ? ` with the account ${found.users[0]}` : ''}. We recommend isolating the affected devices, changing the passwords of the accounts named here, and calling us before anything is restored.`,
      ),
    );
    let requested: number | undefined;
    if (device !== undefined && ending !== 'malicious') {
      addStep(begun + 8 * minute, async () => {
        requested = await actions.isolate(analyst, id, device);
      });
      // Servers wait for approval, workstations do not.
      addStep(begun + 11 * minute, async () => {
        if (requested !== undefined) await actions.responses.approveWaiting(colleague, requested);
      });
      if (ending === 'isolated')
        addStep(begun + 14 * minute, async () => {
          if (requested !== undefined) await actions.responses.confirm(analyst, requested);
        });
    }
    addStep(begun + 20 * minute, async () => {
      await actions.status(analyst, id, 'malicious');
      await actions.investigation(analyst, id, investigationStatusIds.malicious);
    });
    addStep(begun + 24 * minute, () =>
      actions.note(
        analyst,
        id,
        `Called the emergency contact of the client. They agree to isolate \`${device ?? 'the accounts'}\`.`,
        false,
      ),
    );
    if (ending === 'open' && age < 30 * day) return false;
    addStep(begun + 30 * minute, () => actions.escalate(analyst, id));
    addStep(settled + random.int(18, 60) * hour, async () => {
      await actions.status(analyst, id, 'escalated:closed');
      await actions.investigation(analyst, id, investigationStatusIds.malicious);
    });
    return true;
  };

  /** Review of the closed case, and feedback on the automatic verdict. */
  const planReview = (
    { found, random, addStep }: CaseWork,
    last: number,
    { isHarmful, isOld, reviewer }: { isHarmful: boolean; isOld: boolean; reviewer: Actor },
  ): void => {
    const { id } = found;
    if (random.chance(isHarmful ? 0.9 : isOld ? 0.4 : 0.6)) {
      const [plain, other] = isHarmful
        ? [decisionIds.malicious, decisionIds.client]
        : [decisionIds.benign, random.pick([decisionIds.soc, decisionIds.partner])];
      const isPlain = random.chance(0.9);
      const isJudged = random.chance(isOld ? 0.15 : 0.5);
      addStep(last + random.int(6, 90) * hour, async () => {
        await actions.review(reviewer, id, isPlain ? plain : other, isPlain ? '' : 'Discuss with the closing analyst.');
        const expected = isHarmful ? 'Malicious' : 'Benign';
        if (isJudged && found.verdict !== null)
          await actions.judgeDecisioning(
            reviewer,
            id,
            found.verdict === expected,
            found.verdict === expected ? '' : `It was ${expected.toLowerCase()}.`,
          );
      });
    }
  };

  /** All steps on one case, with their times. */
  const plan = (found: FreshCase, end: number): Step[] => {
    const random = randomFor(String(seed), 'desk', found.organisationId, found.createdAt.getTime(), found.title);
    const endings = found.eventIds.map(endingOf).filter((ending) => ending !== undefined);
    const ending: Ending = endings[0] ?? (random.chance(0.45) ? 'falsePositive' : 'benign');
    const isHarmful = ending === 'isolated' || ending === 'malicious' || ending === 'open';
    const isHarbor = found.organisationId >= 10 && found.organisationId < 20;
    const analyst = actor(isHarbor ? random.pick(['partnerAnalyst', 'partnerSuperAnalyst', 'superAnalyst']) : 'superAnalyst');
    const colleague = actor(isHarbor ? 'partnerAdmin' : 'host');
    const reviewer = actor(isHarbor && random.chance(0.7) ? 'partnerAnalyst' : 'host');
    const list: Step[] = [];
    const addStep = (at: number, run: () => Promise<unknown>) => list.push({ at, caseId: found.id, run });
    const { id } = found;
    const age = end - found.createdAt.getTime();

    const slow = random.chance(0.05) ? 8 : 1;
    const patience =
      found.criticality === criticalityOf.critical ? [3, 14] : found.criticality === criticalityOf.high ? [5, 28] : [15, 100];
    const taken = found.createdAt.getTime() + random.int(patience[0]!, patience[1]!) * minute * slow;
    // The newest cases are left in different stages: untouched, assigned, investigating, escalated and closed.
    const rest = age < 3 * day && !isHarmful ? turns[recent++ % turns.length]! : 1;
    if (rest < 0.3) return [];
    addStep(taken, () => actions.assign(analyst, id));
    if (rest < 0.5) return list;
    const begun = taken + random.int(2, 25) * minute;
    // Cases months old get fewer steps, to keep start-up fast.
    const isOld = age > 45 * day && !isHarmful;
    if (!isOld)
      addStep(begun, async () => {
        await actions.status(analyst, id, 'investigating');
        await actions.investigation(analyst, id, investigationStatusIds.inProgress);
        await actions.seen(analyst, id);
      });
    if (rest < 0.7) return list;

    // Cases that still receive alerts stay open.
    const settled = Math.max(begun, found.lastAlertAt.getTime()) + random.int(10, 50) * minute;
    const work: CaseWork = { found, ending, age, begun, settled, analyst, colleague, random, addStep };
    if (isHarmful) {
      if (!planIncident(work)) return list;
    } else if (rest < 0.8 || random.chance(0.07)) {
      addStep(settled, () => actions.escalate(analyst, id));
      if (rest < 0.8) return list;
      addStep(settled + random.int(5, 40) * hour, async () => {
        await actions.investigation(analyst, id, closedBy[ending]);
        await actions.status(analyst, id, 'escalated:closed');
      });
    } else {
      if (random.chance(0.35))
        addStep(settled - 3 * minute, () => actions.note(analyst, id, random.pick(benignNotes), random.chance(0.6)));
      addStep(settled, async () => {
        await actions.investigation(analyst, id, closedBy[ending]);
        await actions.status(analyst, id, 'closed');
      });
    }

    planReview(work, list.at(-1)!.at, { isHarmful, isOld, reviewer });
    return list;
  };

  return {
    /** Picks up an organisation’s new cases. `end` is the end of the history. */
    async pickUp(organisationId: number, end: number): Promise<void> {
      if (actors.size === 0) await loadActors();
      for (const found of await freshCases(organisationId)) {
        if (seen.has(found.id)) continue;
        seen.add(found.id);
        steps.push(...plan(found, end).filter(({ at }) => at < end));
      }
      steps.sort((a, b) => a.at - b.at);
    },

    /** At the end of the history: responses without a case, and a client’s scheduled report. */
    async finish(end: number): Promise<void> {
      if (actors.size === 0) await loadActors();
      await playResponses({ db, clock, actions: actions.responses, actor, end, log });
      const recipients = personas
        .filter(({ persona }) => persona === 'manager' || persona === 'clientAdmin')
        .map(({ email }) => email);
      await actions.scheduleReport(actor('partnerAdmin'), actor('manager').organisationId, { dayOfMonth: 3, recipients });
    },

    /** Runs the steps due by then. Steps the case no longer allows are skipped. */
    async work(until: number): Promise<void> {
      const due = steps.filter(({ at }) => at <= until);
      steps = steps.slice(due.length);
      for (const { at, caseId, run } of due) {
        clock.moveTo(at);
        try {
          await run();
        } catch (error) {
          log.debug({ err: error, caseId }, 'skipped a refused step of the demo analysts');
        }
      }
    },
  };
}
