/** Cases and the incidents of a simulated Microsoft Defender XDR, both ways, on a real database, with a clock that the test moves. */
import { connectors } from '@parapet/connectors/all.ts';
import type { CaseStatus, StatedResolution } from '@parapet/contract/rules/cases.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { XdrVendor } from '@parapet/world/vendors/defenderxdr.ts';
import { sql } from 'kysely';
import { systemClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { IncidentMode } from '../src/core/db/tables.connections.ts';
import type { Tables } from '../src/core/db/tables.ts';
import { silentLog } from '../src/core/log.ts';
import { packAlertEvents } from '../src/domain/alertEvents.pack.ts';
import { createOutsideCases } from '../src/features/cases/cases.outside.ts';
import type { CaseRecord } from '../src/features/cases/cases.ports.ts';
import { createTransitions } from '../src/features/cases/cases.transitions.ts';
import { createAccounts } from '../src/features/connections/connections.accounts.ts';
import { updateIncidentMode } from '../src/features/connections/connections.incidents.people.ts';
import { createIncidentsWorker, syncLeaseMs } from '../src/features/connections/connections.incidents.ts';
import { type ConnectionsFixture, connectionsFixture } from './connections.fixture.ts';
import { testBrand } from './deliveries.fixture.ts';

export type IncidentWork = Awaited<ReturnType<typeof incidentWork>>;

export async function incidentWork(xdr: XdrVendor) {
  const t: ConnectionsFixture = await connectionsFixture([xdr]);
  xdr.people.setClock(() => t.clock.now());
  const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
  const transitions = createTransitions({
    clock: t.clock,
    onChanged: async () => {},
    requestReview: async () => {},
    findAnalyst: async () => undefined,
  });
  const cases = createOutsideCases({ clock: t.clock, transitions });
  const open = (http = t.http) =>
    createIncidentsWorker({
      ...t,
      accounts: createAccounts({ ...t, clock: systemClock, http, log: silentLog }),
      connectors,
      brand: testBrand,
      cases: () => cases,
      random: () => 0.5,
      log: silentLog,
    });
  const worker = open();
  const lock = (tx: Parameters<Parameters<typeof scoped>[2]>[0], id: number) =>
    tx.selectFrom('cases').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();

  const work = {
    ...t,
    open,
    /** Compares whatever is due, after all waits. */
    async sync(organisationId: number): Promise<void> {
      t.clock.moveTo(t.clock.now() + syncLeaseMs + 2 * minuteMs);
      await worker.run();
      await work.syncCases(organisationId);
    },
    /** Compares the cases of an organisation alone, as after a change of them. */
    async syncCases(organisationId: number): Promise<void> {
      const cases = await system((tx) =>
        tx.selectFrom('cases').select('id').where('organisation_id', '=', organisationId).execute(),
      );
      if (cases.length > 0) await worker.run(...cases.map(({ id }) => id));
    },
    timelineOf: (id: number) =>
      system((tx) => tx.selectFrom('case_history').select('text').where('case_id', '=', id).orderBy('id').execute()),
    /** Compares until all disturbances are spent and all waits are over. */
    async settled(organisationId: number): Promise<void> {
      for (let round = 0; round < 8; round++) {
        t.clock.moveTo(t.clock.now() + 40 * minuteMs);
        await worker.run();
        await work.syncCases(organisationId);
      }
    },
    /** An account with an alert of an incident and a case of it. */
    async start(mode: IncidentMode = 'both') {
      // A new connection reads the last day: incidents of other tests are older.
      t.clock.moveTo(t.clock.now() + 26 * hourMs);
      const organisationId = await t.organisation();
      const connection = await t.connect(organisationId, xdr);
      await system((tx) =>
        tx
          .updateTable('connections')
          .set({ next_at: new Date(t.clock.now()) })
          .where('id', '=', connection)
          .execute(),
      );
      xdr.intrude(t.clock.now() - minuteMs);
      await t.turn(connection);
      const { rows } = await system((tx) =>
        sql<{
          id: number;
          at: Date;
          incidentId: string;
          vendorId: string;
        }>`select a.id, a.at, e.document ->> 'incidentId' as "incidentId", e.document ->> 'id' as "vendorId"
          from alerts a join alert_events e on e.alert_id = a.id and e.alert_at = a.at
          where a.organisation_id = ${organisationId} and e.document ->> 'incidentId' is not null order by e.event_at desc limit 1`.execute(
          tx,
        ),
      );
      const alert = rows[0]!;
      await work.setMode(organisationId, connection, mode);
      const id = await work.case(organisationId, alert);
      return { organisationId, connection, alert, incident: alert.incidentId, id };
    },
    setMode: (organisationId: number, id: number, mode: IncidentMode, at?: number) =>
      system(async (tx) => {
        await updateIncidentMode(tx, { organisationId, id }, mode);
        if (at !== undefined)
          await tx
            .updateTable('incident_syncs')
            .set({ mode_at: new Date(at) })
            .where('connection_id', '=', id)
            .execute();
      }),
    /** Packs all copies of events that are old enough in two hours. */
    pack: (): Promise<number> => packAlertEvents(t.db, t.clock.now() + 2 * hourMs, minuteMs),
    /** Inserts a case with an alert. */
    case: (organisationId: number, alert: { id: number; at: Date }, more: object = {}): Promise<number> =>
      system(async (tx) => {
        const about = {
          organisation_id: organisationId,
          title: 'Link clicked',
          criticality: 3,
          first_alert_at: alert.at,
          last_alert_at: alert.at,
        };
        const { id } = await tx
          .insertInto('cases')
          .values({ ...about, ...more })
          .returning('id')
          .executeTakeFirstOrThrow();
        const { rule_id, criticality } = await tx
          .selectFrom('alerts')
          .select(['rule_id', 'criticality'])
          .where('id', '=', alert.id)
          .executeTakeFirstOrThrow();
        const joined: Tables['case_alerts'] = {
          organisation_id: organisationId,
          case_id: id,
          alert_id: alert.id,
          alert_at: alert.at,
          rule_id,
          criticality,
          joined_by: 'test',
        } as never;
        await tx
          .insertInto('case_alerts')
          .values(joined as never)
          .execute();
        return id;
      }),
    /** Another alert with the same event. */
    secondAlert: (organisationId: number, alert: { id: number; at: Date }): Promise<{ id: number; at: Date }> =>
      system(async (tx) => {
        const { rows } = await sql<{ id: number }>`
          with made as (insert into alerts select (jsonb_populate_record(a, jsonb_build_object('id', nextval('alert_ids')))).* from alerts a
            where a.id = ${alert.id} and a.organisation_id = ${organisationId} returning id, at)
          insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document)
          select e.organisation_id, m.id, m.at, e.event_id, e.event_at, e.text, e.why, e.document from alert_events e, made m where e.alert_id = ${alert.id}
          returning alert_id as id`.execute(tx);
        return { id: rows[0]!.id, at: alert.at };
      }),
    /** Moves an alert to a case of its own. */
    async move(organisationId: number, alert: { id: number; at: Date }, more: object): Promise<number> {
      await system((tx) => tx.deleteFrom('case_alerts').where('alert_id', '=', alert.id).execute());
      return work.case(organisationId, alert, more);
    },
    /** The portal changes the status of a case, if its rules permit. */
    setStatus: (id: number, status: CaseStatus, resolution?: StatedResolution): Promise<boolean> =>
      system(async (tx) => !('fault' in (await cases.applyStatus(tx, await lock(tx, id), status, 'the test', resolution)))),
    /** Assigns a case to a person of an organisation, or to none. Returns the address. */
    assign: (id: number, organisationId: number | null): Promise<string> =>
      system(async (tx) => {
        const email = `analyst-${id}-${organisationId}@test.example`;
        const person = { organisation_id: organisationId ?? 0, email, first_name: 'Ana', last_name: 'Lyst', role: 'Analyst' };
        const made =
          organisationId === null
            ? undefined
            : await tx.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow();
        const set = { analyst_user_id: made?.id ?? null, analyst_email: made ? email : '', version: sql<number>`version + 1` };
        await tx.updateTable('cases').set(set).where('id', '=', id).execute();
        return email;
      }),
    caseOf: (id: number): Promise<CaseRecord> => system((tx) => lock(tx, id)),
    notesOf: (id: number) =>
      system((tx) => tx.selectFrom('case_notes').selectAll().where('case_id', '=', id).orderBy('id').execute()),
    incidentRow: (connection: number) =>
      system((tx) =>
        tx
          .selectFrom('incidents')
          .selectAll()
          .where('connection_id', '=', connection)
          .where('merged_into', 'is', null)
          .executeTakeFirstOrThrow(),
      ),
    syncRow: (connection: number) =>
      system((tx) =>
        tx.selectFrom('incident_syncs').selectAll().where('connection_id', '=', connection).executeTakeFirstOrThrow(),
      ),
    textsAt: (incident: string) =>
      ((xdr.people.incident(incident)?.comments ?? []) as { comment: string }[]).map(({ comment }) => comment),
  };
  return work;
}
