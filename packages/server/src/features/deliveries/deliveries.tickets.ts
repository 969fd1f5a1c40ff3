/** Setup of tickets at a PSA by administrators, and the tickets that are linked. */
import { VendorError } from '@parapet/connectors/errors.ts';
import { labelOf } from '@parapet/connectors/out/ticketing.ts';
import type { TicketApi, TicketChoices, TicketSetup } from '@parapet/connectors/out/tickets.ts';
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import { type LinkedTicket, maxTicketCompanies, type TicketSetupInput } from '@parapet/contract/deliveryTickets.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { hasCase } from '../../domain/casesInScope.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { createSend } from './deliveries.http.ts';
import { safeLink } from './deliveries.shown.ts';
import { findValues } from './deliveries.store.ts';
import * as store from './deliveries.tickets.people.ts';
import { openSecrets } from './deliveries.turn.ts';
import { validValues } from './deliveries.vault.ts';

const maxCaseTickets = 50;

interface Opened {
  organisationId: number;
  /** Undefined for a target that is no PSA. */
  api: TicketApi | undefined;
}

type Company = { clientId: number; companyId: string };

export function createTickets(deps: DeliveriesDeps, find: FindTarget) {
  const { db, clock, kindOf } = deps;

  /** A target that the actor may administrate. Throws notFound or forbidden. */
  const open = async (actor: Actor, scope: Scope, id: number): Promise<Opened> => {
    const target = await scoped(db, scope, async (tx) => {
      await find(tx, actor, scope, id);
      return (await findValues(tx, scope, id))!;
    });
    const kind = kindOf(target.kind);
    if (!kind?.tickets) return { organisationId: target.organisationId, api: undefined };
    const secrets = await openSecrets(deps, target);
    const { send } = createSend(deps.outbound, Object.values(secrets));
    const api = kind.tickets(validValues(kind, target.settings, secrets, clock.now()), send);
    return { organisationId: target.organisationId, api };
  };

  return {
    async ticketSetup(
      actor: Actor,
      client: number,
      id: number,
      board: string | undefined,
    ): Promise<AnswerOf<typeof deliveriesApi.ticketSetup>> {
      const scope = scopeFor(actor, client);
      const { organisationId, api } = await open(actor, scope, id);
      const stored = await readScoped(db, scope, (tx) => store.findSetup(tx, scope, id));
      const all = scopeOf(actor);
      const companies = await readScoped(db, all, (tx) => store.listCompanies(tx, all, organisationId, id, maxTicketCompanies));
      const read = api ? await readChoices(api, board ?? stored?.setup.board ?? '') : noPsa(id);
      return {
        setup: stored ? inputOf(stored.setup) : null,
        companies,
        choices: typeof read === 'string' ? null : shownChoices(read),
        error: typeof read === 'string' ? read : null,
        polledAt: stored?.polledAt?.toISOString() ?? null,
        pollError: stored?.error ?? null,
      };
    },

    async saveTicketSetup(
      actor: Actor,
      client: number,
      id: number,
      { setup, companies }: { setup: TicketSetupInput; companies: readonly Company[] },
    ): Promise<void> {
      const scope = scopeFor(actor, client);
      const { organisationId, api } = await open(actor, scope, id);
      if (!api) throw problem.conflict(noPsa(id));
      const choices = await readChoices(api, setup.board);
      if (typeof choices === 'string') throw problem.unavailable(`${choices} The setup was not saved.`);
      const all = scopeOf(actor);
      const covered = await readScoped(db, all, (tx) => store.listCompanies(tx, all, organisationId, id, maxTicketCompanies));
      checkSetup(api.who, setup, choices);
      const named = checkCompanies(companies, covered, choices);
      const saved: TicketSetup = { ...setup, known: choices.statuses, required: requiredOf(choices) };
      await scoped(db, all, async (tx) => {
        await find(tx, actor, scope, id);
        const before = await store.findSetup(tx, scope, id);
        const place = { organisationId, targetId: id };
        await store.saveSetup(tx, place, saved, new Date(clock.now()));
        await store.saveCompanies(tx, place, named);
        const [from, to] = [before && audited(before.setup), audited(saved)];
        const entry = { organisationId, target: String(id) };
        await recordAudit(tx, actor, { action: 'deliveryTarget.ticketsSet', ...entry, before: from ?? null, after: to });
      });
    },
  };
}

/** Tickets that are linked, at a target and of a case. */
export function createTicketLists({ db, kindOf }: Pick<DeliveriesDeps, 'db' | 'kindOf'>, find: FindTarget) {
  return {
    async tickets(
      actor: Actor,
      client: number,
      id: number,
      { page, pageSize }: { page: number; pageSize: number },
    ): Promise<AnswerOf<typeof deliveriesApi.tickets>> {
      const scope = scopeFor(actor, client);
      const { rows, total } = await readScoped(db, scope, async (tx) => {
        await find(tx, actor, scope, id);
        return store.listTickets(tx, scope, id, { limit: pageSize, offset: (page - 1) * pageSize });
      });
      return { results: rows.map(shown), total };
    },

    async caseTickets(actor: Actor, caseId: number): Promise<AnswerOf<typeof deliveriesApi.caseTickets>> {
      const scope = scopeOf(actor);
      const rows = await readScoped(db, scope, async (tx) => {
        if (!(await hasCase(tx, scope, caseId))) throw problem.notFound('case', caseId);
        return store.listCaseTickets(tx, scope, caseId, maxCaseTickets);
      });
      return { results: rows.map(shown), total: rows.length };
    },
  };

  function shown(row: store.TicketListed): LinkedTicket {
    const { caseId, ticketId, targetName, conflict } = row;
    return {
      caseId,
      ticketId,
      link: safeLink(row.url),
      targetName,
      title: kindOf(row.kind)?.title ?? row.kind,
      status: row.setup ? labelOf(row.setup, row.status) : row.status,
      syncedAt: row.syncedAt.toISOString(),
      conflict,
      deletedAt: row.deletedAt?.toISOString() ?? null,
    };
  }
}

const noPsa = (id: number): string => `Target ${id} is no PSA, so it has no tickets to set up.`;

/** The choices, or the reason for which they could not be read. */
async function readChoices(api: TicketApi, board: string): Promise<TicketChoices | string> {
  try {
    return await api.choices(board);
  } catch (error) {
    if (error instanceof VendorError) return error.message;
    throw error;
  }
}

const maxChoices = 1_000;
const maxFields = 300;
const maxOptions = 500;

const shownChoices = ({ companies, boards, types, statuses, priorities, fields, time, isPartial }: TicketChoices) => ({
  companies: companies.slice(0, maxTicketCompanies).map(copy),
  boards: boards.slice(0, maxChoices).map(copy),
  types: types.slice(0, maxChoices).map(copy),
  statuses: statuses.slice(0, maxChoices).map((each) => ({ ...each })),
  priorities: priorities.slice(0, maxChoices).map(copy),
  fields: fields.slice(0, maxFields).map(({ options, ...field }) => ({
    ...field,
    options: options === null ? null : options.slice(0, maxOptions).map(copy),
  })),
  time: time && {
    types: time.types.slice(0, maxChoices).map(copy),
    roles: time.roles.slice(0, maxChoices).map(copy),
    people: time.people.slice(0, maxChoices).map(copy),
    required: [...time.required],
  },
  isPartial: isPartial || companies.length > maxTicketCompanies,
});
const copy = <T extends object>(each: T): T => ({ ...each });

const requiredOf = ({ fields }: TicketChoices) =>
  fields.filter(({ isRequired }) => isRequired).map(({ id, label }) => ({ id, label }));

const inputOf = ({
  board,
  type,
  priorities,
  statuses,
  back,
  fields,
  time = null,
  attachment = 'none',
}: TicketSetup): TicketSetupInput => ({
  board,
  type,
  priorities,
  statuses,
  back: back as TicketSetupInput['back'],
  fields,
  time,
  attachment,
});

/** Values of custom fields stay out of the audit log. */
const audited = ({ board, type, priorities, statuses, back, time = null, attachment = 'none' }: TicketSetup) => ({
  board,
  type,
  priorities,
  statuses,
  back,
  time,
  attachment,
});

/** Throws the faults of a setup by their fields. */
function checkSetup(who: string, setup: TicketSetupInput, choices: TicketChoices): void {
  const errors: Record<string, string[]> = {};
  const check = (field: string, value: string, among: readonly { id: string }[], isNeeded = false) => {
    if (value === '' ? isNeeded : !among.some(({ id }) => id === value))
      errors[field] = [value === '' ? 'Choose one.' : `${who} no longer has this. Choose another.`];
  };
  check('setup.board', setup.board, choices.boards, true);
  check('setup.type', setup.type, choices.types, choices.types.length > 0);
  for (const [severity, value] of Object.entries(setup.priorities))
    check(`setup.priorities.${severity}`, value, choices.priorities);
  for (const [status, value] of Object.entries(setup.statuses)) check(`setup.statuses.${status}`, value, choices.statuses);
  for (const status of Object.keys(setup.back)) check(`setup.back.${status}`, status, choices.statuses);
  for (const field of choices.fields) {
    const value = setup.fields[field.id] ?? '';
    if (field.isRequired && value === '') errors[`setup.fields.${field.id}`] = [`${who} requires "${field.label}".`];
    else if (field.options !== null) check(`setup.fields.${field.id}`, value, field.options);
  }
  if (setup.time && !choices.time) errors['setup.time'] = [`The account at ${who} may not read work types and roles.`];
  for (const [part, list] of [
    ['type', 'types'],
    ['role', 'roles'],
    ['person', 'people'],
  ] as const)
    if (setup.time && choices.time)
      check(`setup.time.${part}`, setup.time[part], choices.time[list], choices.time.required.includes(part));
  for (const name of Object.keys(setup.fields))
    if (!choices.fields.some(({ id }) => id === name)) errors[`setup.fields.${name}`] = [`${who} has no such field.`];
  if (Object.keys(errors).length > 0) throw problem.invalid(errors);
}

/** Companies with their names. Throws invalid for clients or companies that are not offered. */
function checkCompanies(
  companies: readonly Company[],
  covered: readonly store.CompanyRow[],
  { companies: offered }: TicketChoices,
) {
  const clients = new Map(covered.map((row) => [row.clientId, row]));
  const names = new Map(offered.map(({ id, label }) => [id, label]));
  return companies.map(({ clientId, companyId }, index) => {
    const stored = clients.get(clientId);
    const fault = (text: string) => problem.invalid({ [`companies.${index}.companyId`]: [text] });
    if (!stored) throw fault(`Organisation ${clientId} is no client of this target.`);
    const companyName = names.get(companyId) ?? (stored.companyId === companyId ? stored.companyName : undefined);
    if (companyId !== '' && companyName === undefined) throw fault('The PSA has no such company. Choose another.');
    return { clientId, companyId, companyName: companyName ?? '' };
  });
}
