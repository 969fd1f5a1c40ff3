/**
 * Time entries of the simulated PSA systems, from developer.connectwise.com, "Manage REST API" 3.0 (time/entries, time/workTypes, time/workRoles), and
 * autotask.net/help/developerhelp, "REST API" 1.0 (TimeEntries, Roles, BillingCodes). Those of HaloPSA are actions.
 */
import type { VendorAnswer } from '../vendors/vendor.ts';
import { jsonIn } from './peer.ts';
import type { PsaTicket, psaTickets } from './psa.ts';

type Psa = Pick<ReturnType<typeof psaTickets>, 'find' | 'addTime' | 'changed'>;
type Row = Record<string, unknown>;
const idOf = (value: unknown): number | null =>
  typeof value === 'object' && value !== null && 'id' in value ? Number(value.id) : null;

const workTypes = [
  { id: 3, name: 'Remote', inactiveFlag: false },
  { id: 4, name: 'Retired', inactiveFlag: true },
];
const workRoles = [{ id: 12, name: 'Security analyst', inactiveFlag: false }];
/** UTC without fractions of a second. */
const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
const isKnown = (id: number | null, rows: readonly { id: number; inactiveFlag: boolean }[]): boolean =>
  id === null || rows.some((row) => row.id === id && !row.inactiveFlag);

/** Calls below /time; undefined for any other. A ticket of the status `closed` takes no entries. */
export function connectwiseTimes(psa: Psa, closed: number) {
  const fault = (status: number, code: string, message: string): VendorAnswer => ({
    status,
    body: { code, message, errors: [{ code, message, resource: 'timeEntry', field: null }] },
  });

  const faultOf = (row: Row, ticket: PsaTicket | undefined): VendorAnswer | undefined => {
    if (row.chargeToType !== 'ServiceTicket' || !ticket) return fault(400, 'InvalidObject', 'chargeToId is not valid.');
    if (!isTime(row.timeStart) || !isTime(row.timeEnd)) return fault(400, 'UnsupportedFormat', 'timeStart is not valid.');
    if (row.timeEnd <= row.timeStart) return fault(400, 'InvalidObject', 'timeEnd must be after timeStart.');
    if (!['Billable', 'DoNotBill', 'NoCharge', 'NoDefault'].includes(String(row.billableOption)))
      return fault(400, 'MissingRequiredField', 'billableOption is required.');
    if (!isKnown(idOf(row.workType), workTypes)) return fault(404, 'NotFound', 'workType not found');
    if (!isKnown(idOf(row.workRole), workRoles)) return fault(404, 'NotFound', 'workRole not found');
    return ticket.status === closed
      ? fault(400, 'InvalidObject', 'Please update the status of this ticket before entering time.')
      : undefined;
  };

  const add = (body: string): VendorAnswer => {
    const row = jsonIn(body) ?? {};
    const ticket = psa.find(Number(row.chargeToId));
    const wrong = faultOf(row, ticket);
    if (wrong) return wrong;
    const hours = (Date.parse(String(row.timeEnd)) - Date.parse(String(row.timeStart))) / 3_600_000;
    const [type, role] = [idOf(row.workType), idOf(row.workRole)];
    const isBillable = row.billableOption === 'Billable';
    const id = psa.addTime(ticket!.id, { text: String(row.notes ?? ''), hours, type, role, person: null, isBillable });
    return { status: 201, body: { id, chargeToId: ticket!.id } };
  };

  return (method: string, path: string, query: URLSearchParams, body: string): VendorAnswer | undefined => {
    if (path === '/time/workTypes') return { body: workTypes };
    if (path === '/time/workRoles') return { body: workRoles };
    if (path !== '/time/entries') return undefined;
    if (method === 'POST') return add(body);
    const id = /^chargeToType="ServiceTicket" and chargeToId=(\d+)$/.exec(query.get('conditions') ?? '')?.[1];
    if (id === undefined) return fault(400, 'InvalidObject', 'The conditions are not valid.');
    const rows = (psa.find(Number(id))?.times ?? []).map((time) => ({ id: time.id, notes: time.text }));
    return { body: rows.reverse().slice(0, Number(query.get('pageSize') ?? 25)) };
  };
}

const roles = [{ id: 29_682_834, name: 'Security analyst', isActive: true }];
const billingCodes = [
  { id: 29_682_800, name: 'Remote', useType: 1, isActive: true },
  { id: 29_682_801, name: 'Cable', useType: 4, isActive: true },
];

/** Entities of time entries. @param hasPerson true for the id of a resource */
export function autotaskTimes(psa: Psa, hasPerson: (id: number) => boolean) {
  const fault = (text: string): VendorAnswer => ({ status: 500, body: { errors: [text] } });
  const faultOf = ({ resourceID, roleID, billingCodeID, hoursWorked, dateWorked }: Row): string | undefined => {
    if (!hasPerson(Number(resourceID))) return 'Reference value on field resourceID does not exist.';
    if (!roles.some(({ id }) => id === roleID)) return 'Reference value on field roleID does not exist.';
    if (billingCodeID !== undefined && !billingCodes.some(({ id, useType }) => id === billingCodeID && useType === 1))
      return 'Reference value on field billingCodeID does not exist.';
    if (typeof dateWorked !== 'string') return 'Field dateWorked is required.';
    return Number(hoursWorked) > 0 && Number(hoursWorked) <= 24 ? undefined : 'hoursWorked must be > 0 and <= 24.';
  };
  return {
    rowsOf(entity: string): Row[] | undefined {
      if (entity === 'Roles') return roles.map((row) => ({ ...row }));
      if (entity === 'BillingCodes') return billingCodes.map((row) => ({ ...row }));
      if (entity !== 'TimeEntries') return undefined;
      return psa
        .changed(0)
        .flatMap(({ id: ticketID, times }) => times.map(({ id, text }) => ({ id, ticketID, summaryNotes: text })));
    },
    add(body: string): VendorAnswer {
      const row = jsonIn(body) ?? {};
      const ticket = psa.find(Number(row.ticketID));
      const wrong = ticket ? faultOf(row) : 'Reference value on field ticketID does not exist.';
      if (wrong !== undefined) return fault(wrong);
      const [hours, type] = [Number(row.hoursWorked), row.billingCodeID === undefined ? null : Number(row.billingCodeID)];
      const of = { role: Number(row.roleID), person: Number(row.resourceID), isBillable: row.isNonBillable !== true };
      return { body: { itemId: psa.addTime(ticket!.id, { text: String(row.summaryNotes ?? ''), hours, type, ...of }) } };
    },
  };
}
