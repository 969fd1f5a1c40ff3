/**
 * Time entries of Autotask. Source: autotask.net/help/developerhelp, "REST API" 1.0 (TimeEntries, Roles, Resources, BillingCodes): an entry of a ticket
 * needs a resource with a role; its hours are above 0 and at most 24. Billing codes with the use 1 are work types.
 */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { hoursOf } from './ticketing.time.ts';
import { confirmedId, idText, labelText } from './tickets.calls.ts';
import type { Choice, TimeApi } from './tickets.ts';

type Row = Record<string, unknown>;
interface Queries {
  /** Rows of an entity under conditions, at most 500. */
  query(entity: string, filter: readonly object[], fields: readonly string[]): Promise<Row[]>;
  post(path: string, body: Row): Promise<Row>;
}

const workType = 1;
const isActive = { op: 'eq', field: 'isActive', value: true };

const choicesOf = (rows: readonly Row[], label: (row: Row) => string): Choice[] =>
  rows
    .flatMap((row) => {
      const id = idText(row.id);
      return id === undefined ? [] : [{ id, label: label(row) || id }];
    })
    .sort((one, other) => one.label.localeCompare(other.label, 'en'));
const nameOf = (row: Row): string => labelText(row.name);
const personOf = (row: Row): string => `${labelText(row.firstName)} ${labelText(row.lastName)}`.trim();

export const autotaskTime = (who: string, { query, post }: Queries): TimeApi => ({
  isNote: false,
  async choices() {
    const types = await query('BillingCodes', [isActive, { op: 'eq', field: 'useType', value: workType }], ['id', 'name']);
    const roles = await query('Roles', [isActive], ['id', 'name']);
    const people = await query('Resources', [isActive], ['id', 'firstName', 'lastName']);
    return {
      types: choicesOf(types, nameOf),
      roles: choicesOf(roles, nameOf),
      people: choicesOf(people, personOf),
      required: ['role', 'person'],
    };
  },
  async list(ticket) {
    const of = [{ op: 'eq', field: 'ticketID', value: Number(ticket) }];
    return (await query('TimeEntries', of, ['id', 'summaryNotes'])).flatMap((row) => {
      const id = idText(row.id);
      return id === undefined ? [] : [{ id, text: String(row.summaryNotes ?? '') }];
    });
  },
  async add(ticket, { text, minutes, until }, { type, role, person, isBillable }) {
    const entry = {
      ticketID: Number(ticket),
      resourceID: Number(person),
      roleID: Number(role),
      ...(type !== '' && { billingCodeID: Number(type) }),
      dateWorked: new Date(until).toISOString().slice(0, 10),
      startDateTime: new Date(until - minutes * minuteMs).toISOString(),
      endDateTime: new Date(until).toISOString(),
      hoursWorked: hoursOf(minutes),
      summaryNotes: text,
      isNonBillable: !isBillable,
    };
    return confirmedId(who, 'time entry', (await post('/TimeEntries', entry)).itemId);
  },
});
