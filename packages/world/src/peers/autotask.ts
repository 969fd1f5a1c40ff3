/**
 * Simulated Autotask, from autotask.net/help/developerhelp, "REST API" 1.0: headers with user, secret and tracking identifier, queries with filters,
 * fields with picklists, tickets and their notes. New rows are confirmed by `itemId`; invalid values are errors 500 with a list of texts.
 */
import type { VendorAnswer, VendorRequest } from '../vendors/vendor.ts';
import { jsonIn, servePeer } from './peer.ts';
import { autotaskContracts, psaAgreements } from './psa.billing.ts';
import { autotaskAttachments } from './psa.files.ts';
import { autotaskTimes } from './psa.times.ts';
import { isPsaCompany, type PsaNote, type PsaPeer, type PsaTicket, psaCompanies, psaTickets } from './psa.ts';

const values = { user: 'portal@alder.example', secret: 'demoDemoDemoDemo', integrationCode: 'DEMOCODE123' };
const statuses = [
  { value: '1', label: 'New', isActive: true },
  { value: '8', label: 'In Progress', isActive: true },
  { value: '7', label: 'Waiting Customer', isActive: true },
  { value: '5', label: 'Complete', isActive: true },
];
const queues = [
  { value: '29682833', label: 'Security', isActive: true },
  { value: '5', label: 'Old queue', isActive: false },
];
const priorities = [1, 2, 3, 4].map((number) => ({ value: String(number), label: `Priority ${number}`, isActive: true }));
const field = { name: 'Contract reference', label: 'Contract reference' };

type Row = Record<string, unknown>;
type Rule = { op: string; field: string; value: unknown };
const fault = (...errors: string[]): VendorAnswer => ({ status: 500, body: { errors } });

const shown = (ticket: PsaTicket) => ({
  id: ticket.id,
  title: ticket.title,
  companyID: ticket.company,
  status: ticket.status,
  externalID: ticket.reference,
  lastActivityDate: new Date(ticket.changedAt).toISOString(),
});

/** Numbers of technicians by their names. */
const technicians: string[] = ['Portal'];
const numberOf = (name: string): number => {
  if (!technicians.includes(name)) technicians.push(name);
  return 29_000 + technicians.indexOf(name);
};

const resources = (): Row[] =>
  technicians.map((name, place) => ({
    id: 29_000 + place,
    isActive: true,
    firstName: name.split(' ')[0],
    lastName: name.split(' ')[1] ?? '',
  }));

const shownNote = (ticket: PsaTicket, { id, author, text, isInternal }: PsaNote) => ({
  id,
  ticketID: ticket.id,
  title: 'Note',
  description: text,
  noteType: 1,
  publish: isInternal ? 2 : 1,
  creatorResourceID: numberOf(author),
  createdByContactID: null,
});

const isMatch = (row: Row, { op, field: name, value }: Rule): boolean => {
  const own = row[name];
  const [one, other] = name.endsWith('Date')
    ? [Date.parse(String(own)), Date.parse(String(value))]
    : [Number(own), Number(value)];
  if (op === 'eq') return own === value;
  if (op === 'gt') return one > other;
  if (op === 'gte') return one >= other;
  if (op === 'lte') return one <= other;
  return op === 'in' && Array.isArray(value) && value.includes(own);
};

const fieldsOf = ({ userDefinedFields }: Row): Record<string, string> =>
  Object.fromEntries(
    ((Array.isArray(userDefinedFields) ? userDefinedFields : []) as { name: string; value: string }[]).map(({ name, value }) => [
      name,
      value,
    ]),
  );

/** Fault of a new ticket; undefined for a valid one. */
function faultOf(row: Row, isRequired: boolean): string | undefined {
  if (typeof row.title !== 'string' || row.title === '' || row.title.length > 255) return 'Field title is required.';
  if (!isPsaCompany(row.companyID)) return 'Reference value on field companyID does not exist.';
  if (!queues.some(({ value }) => Number(value) === row.queueID)) return 'Picklist value on field queueID is invalid.';
  if (!statuses.some(({ value }) => Number(value) === row.status)) return 'Picklist value on field status is invalid.';
  return isRequired && !fieldsOf(row)[field.name] ? `User-defined field "${field.name}" is required.` : undefined;
}

const entityFields = (isRequired: boolean): Record<string, unknown> => ({
  '/Tickets/entityInformation/fields': {
    fields: [
      { name: 'status', isRequired: true, isPickList: true, picklistValues: statuses },
      { name: 'queueID', isRequired: false, isPickList: true, picklistValues: queues },
      { name: 'priority', isRequired: true, isPickList: true, picklistValues: priorities },
    ],
  },
  '/Tickets/entityInformation/userDefinedFields': {
    fields: [{ ...field, isRequired: isRequired, isPickList: false, picklistValues: null }],
  },
});

const isAuthorised = (headers: VendorRequest['headers']): boolean =>
  headers.username === values.user && headers.secret === values.secret && headers.apiintegrationcode === values.integrationCode;

/** Starts a simulated Autotask; `people` work at it. */
export async function startAutotask(port?: number): Promise<PsaPeer> {
  const psa = psaTickets(8001);
  const agreements = psaAgreements(901);
  const times = autotaskTimes(psa, (id) => technicians[id - 29_000] !== undefined);
  const attachments = autotaskAttachments(psa);
  const contracts = autotaskContracts(agreements, () => Date.now());

  const rowsOf = (entity: string): Row[] | undefined => {
    if (entity === 'Tickets') return psa.changed(0).map(shown);
    if (entity === 'Companies') return psaCompanies.map(({ id, name }) => ({ id, companyName: name, isActive: true }));
    if (entity === 'Resources') return resources();
    if (entity === 'TicketNotes') return psa.changed(0).flatMap((ticket) => ticket.notes.map((note) => shownNote(ticket, note)));
    if (entity === 'TicketAttachments') return attachments.rows();
    return times.rowsOf(entity) ?? contracts.rowsOf(entity);
  };

  const query = (entity: string, body: string): VendorAnswer => {
    const { MaxRecords: max = 500, filter } = jsonIn(body) ?? {};
    const rows = rowsOf(entity);
    if (!rows) return { status: 404, body: { errors: ['Not found'] } };
    if (!Array.isArray(filter) || filter.length === 0) return fault('A query must have at least one filter.');
    const found = rows.filter((row) => (filter as Rule[]).every((rule) => isMatch(row, rule)));
    const items = found.sort((one, other) => Number(one.id) - Number(other.id)).slice(0, Number(max));
    return { body: { items, pageDetails: { count: items.length, requestCount: max, nextPageUrl: null, prevPageUrl: null } } };
  };

  const create = (body: string): VendorAnswer => {
    const row = jsonIn(body) ?? {};
    const wrong = faultOf(row, psa.isRequired());
    if (wrong !== undefined) return fault(wrong);
    const ticket = psa.open({
      title: String(row.title),
      text: String(row.description ?? ''),
      company: Number(row.companyID),
      status: Number(row.status),
      priority: typeof row.priority === 'number' ? row.priority : null,
      board: Number(row.queueID),
      reference: String(row.externalID ?? ''),
      fields: fieldsOf(row),
    });
    return { body: { itemId: ticket.id } };
  };

  const change = (body: string): VendorAnswer => {
    const { id, status } = jsonIn(body) ?? {};
    if (!psa.find(Number(id))) return { status: 404, body: { errors: ['Not found'] } };
    if (!statuses.some(({ value }) => Number(value) === status)) return fault('Picklist value on field status is invalid.');
    psa.change(Number(id), { status: Number(status) });
    return { body: { itemId: id } };
  };

  const addNote = (id: number, body: string): VendorAnswer => {
    const { title, description, noteType, publish } = jsonIn(body) ?? {};
    if (!psa.find(id)) return { status: 404, body: { errors: ['Not found'] } };
    if (!title || !description || noteType === undefined || publish === undefined) return fault('Field description is required.');
    return { body: { itemId: psa.comment(id, 'Portal', String(description), publish !== 1) } };
  };

  const writes: Record<string, (body: string) => VendorAnswer> = {
    'POST /ContractServiceAdjustments': contracts.adjust,
    'POST /Tickets': create,
    'PATCH /Tickets': change,
    'POST /TimeEntries': times.add,
  };

  const answer = ({ method, url, headers, body }: VendorRequest): VendorAnswer => {
    if (!isAuthorised(headers)) return { status: 401, body: { errors: ['Unauthorized'] } };
    const path = url.pathname.replace('/ATServicesRest/V1.0', '');
    const entity = /^\/(\w+)\/query$/.exec(path)?.[1];
    if (entity !== undefined && method === 'POST') return query(entity, body);
    const write = writes[`${method} ${path}`];
    if (write) return write(body);
    const [, id, part] = /^\/Tickets\/(\d+)(\/Notes|\/Attachments)?$/.exec(path) ?? [];
    if (part !== undefined && method === 'POST')
      return part === '/Notes' ? addNote(Number(id), body) : attachments.add(Number(id), body);
    const ticket = id === undefined ? undefined : psa.find(Number(id));
    if (id !== undefined) return ticket ? { body: { item: shown(ticket) } } : { status: 404, body: { errors: ['Not found'] } };
    const fields = entityFields(psa.isRequired())[path];
    return fields ? { body: fields } : { status: 404, body: { errors: ['Not found'] } };
  };

  const peer = await servePeer('autotask', port, answer, (url) => ({ zone: url, ...values }));
  return {
    ...peer,
    people: psa.people,
    bookkeepers: agreements.bookkeepers,
    board: '29682833',
    company: '31',
    statuses: { open: 1, working: 8, waiting: 7, closed: 5 },
  };
}
