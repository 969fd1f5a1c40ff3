/** Tickets at simulated PSA systems, both ways: deliveries and readings of one target, on a real database, with a clock that the test moves. */
import { callbackSecret } from '@parapet/connectors/out/callbacks.ts';
import type { TicketSetup } from '@parapet/connectors/out/tickets.ts';
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import type { PsaCallback } from '@parapet/world/peers/psa.callbacks.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { Actor } from '../src/core/http/actor.ts';
import { createOutsideCases } from '../src/features/cases/cases.outside.ts';
import type { CaseRecord } from '../src/features/cases/cases.ports.ts';
import { createTransitions } from '../src/features/cases/cases.transitions.ts';
import { saveNote } from '../src/features/cases/cases.writing.ts';
import { createReceive } from '../src/features/deliveries/deliveries.callbacks.ts';
import { casesChanged } from '../src/features/deliveries/deliveries.causes.ts';
import { createPolls } from '../src/features/deliveries/deliveries.polls.ts';
import { setCallbacks } from '../src/features/deliveries/deliveries.store.ts';
import { saveCompanies, saveSetup } from '../src/features/deliveries/deliveries.tickets.people.ts';
import { listDuePolls } from '../src/features/deliveries/deliveries.tickets.store.ts';
import { leaseMs } from '../src/features/deliveries/deliveries.turn.ts';
import { type DeliveriesFixture, everything } from './deliveries.fixture.ts';

/** Choices that fit a simulated PSA. */
export function setupOf({ statuses, board, type = '' }: PsaPeer): TicketSetup {
  const text = (id: number) => String(id);
  const known = Object.entries(statuses).map(([name, id]) => ({ id: text(id), label: name, isClosed: name === 'closed' }));
  return {
    board,
    type,
    priorities: { critical: '1', high: '2', medium: '3', low: '4' },
    statuses: {
      open: text(statuses.open),
      assigned: text(statuses.open),
      investigating: text(statuses.working),
      escalated: text(statuses.waiting),
      closed: text(statuses.closed),
      'escalated:closed': text(statuses.closed),
    },
    back: { [statuses.working]: 'investigating', [statuses.waiting]: 'escalated', [statuses.closed]: 'closed' },
    fields: {},
    known,
    required: [],
  };
}

/** Requests of the other side to targets of a fixture. */
export function callbackWork(t: DeliveriesFixture) {
  const chat = { pressed: async () => {} };
  const receive = createReceive({ ...t.deps, chat, throttle: () => {} });
  const secret = 'secret of the callbacks';
  const addressOf = (target: number): string => `address-of-${target}`;
  return {
    secret,
    /** Lets a target send requests. */
    async open({ organisationId, targetId }: { organisationId: number; targetId: number }): Promise<void> {
      const { secrets } = await t.targetRow(targetId);
      const values = await t.deps.vault.open({ id: targetId, organisationId, secrets });
      const sealed = await t.deps.vault.seal(organisationId, targetId, { ...values, [callbackSecret]: secret });
      const set = { address: addressOf(targetId), secrets: sealed };
      await scoped(t.db, 'system', (tx) => setCallbacks(tx, 'system', targetId, set));
    },
    /** Status of the response. */
    async send(target: number, { headers, body }: PsaCallback): Promise<number> {
      const request = { headers, body: Buffer.from(body), at: t.clock.now() };
      return (await receive(addressOf(target), request)).status;
    },
  };
}

/** Work on tickets beside a fixture of deliveries. */
export function ticketWork(t: DeliveriesFixture) {
  const transitions = createTransitions({
    clock: t.clock,
    onChanged: (tx, actor, changes) => casesChanged(tx, actor, changes),
    requestReview: async () => {},
    findAnalyst: async () => undefined,
  });
  const cases = createOutsideCases({ clock: t.clock, transitions });
  const polls = createPolls({ ...t.deps, cases: () => cases });
  const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);

  const setUp = (
    of: { organisationId: number; targetId: number },
    psa: PsaPeer,
    client: number,
    over: Partial<TicketSetup> = {},
  ): Promise<void> => {
    psa.people.setClock(() => t.clock.now());
    return system(async (tx) => {
      await saveSetup(tx, of, { ...setupOf(psa), ...over }, new Date(t.clock.now()));
      await saveCompanies(tx, of, [{ clientId: client, companyId: psa.company, companyName: 'Alder Foods' }]);
    });
  };

  return {
    polls,
    transitions,
    setUp,
    /** A partner with a client whose cases go to a PSA. */
    async start(psa: PsaPeer, over: Partial<TicketSetup> = {}) {
      const partner = await t.organisation({ isPartner: true });
      const client = await t.organisation({ parentId: partner });
      const { id: target } = await t.target(partner, psa);
      await t.rule(partner, { ...everything(target), events: ['case.opened', 'case.verdict'] });
      await setUp({ organisationId: partner, targetId: target }, psa, client, over);
      return { partner, client, target };
    },
    /** Opens a case whose delivery is queued. */
    async open(client: number, more: Parameters<DeliveriesFixture['case']>[1] = {}): Promise<number> {
      const id = await t.case(client, more);
      await t.queue(client, { event: 'case.opened', objectId: id });
      return id;
    },
    /** The portal changes the status of a case, if its rules permit. */
    setStatus: (id: number, status: CaseStatus): Promise<boolean> =>
      system(async (tx) => {
        const record = await tx.selectFrom('cases').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();
        return !('fault' in (await cases.applyStatus(tx, record, status, 'the test')));
      }),
    /** A person of the client writes a note, or changes one. Returns its id. */
    writeNote: (caseId: number, given: { id?: number; text: string; isInternal?: boolean }): Promise<number> =>
      system(async (tx) => {
        const record = await tx.selectFrom('cases').selectAll().where('id', '=', caseId).executeTakeFirstOrThrow();
        const organisationId = record.organisation_id;
        const email = `writer@${organisationId}.example`;
        const found = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
        const person = { email, first_name: 'Wilma', last_name: 'Writer', role: 'Analyst', organisation_id: organisationId };
        const { id: userId } = found ?? (await tx.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow());
        const actor = { userId, organisationId, displayName: 'Wilma Writer', email, address: '' } as Actor;
        return (await saveNote(tx, t.clock, actor, record, { isInternal: false, ...given })).id;
      }),
    /** Sends what is due, also what waits for another attempt. */
    async send(target: number): Promise<void> {
      t.forward(leaseMs + 3_600_000);
      await t.turn(target);
    },
    async poll(target: number): Promise<void> {
      t.forward(leaseMs + 61_000);
      await polls.run(target);
    },
    /** Reads a target if it is due without a wait. */
    async runDue(target: number): Promise<void> {
      const due = await system((tx) => listDuePolls(tx, new Date(t.clock.now()), 1_000));
      if (due.includes(target)) await polls.run(target);
    },
    caseOf: (id: number): Promise<CaseRecord> =>
      system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    notesOf: (id: number) =>
      system((tx) => tx.selectFrom('case_notes').selectAll().where('case_id', '=', id).orderBy('id').execute()),
    ticketOf: (id: number) =>
      system((tx) => tx.selectFrom('case_tickets').selectAll().where('case_id', '=', id).executeTakeFirst()),
    setupRow: (target: number) =>
      system((tx) => tx.selectFrom('ticket_setups').selectAll().where('target_id', '=', target).executeTakeFirstOrThrow()),
  };
}

export type TicketWork = ReturnType<typeof ticketWork>;
