/**
 * Simulated HaloPSA, from the API's description at halopsa.com/apidoc and the published module HaloAPI 1.24: tokens by client credentials, lists of
 * ticket types, statuses, priorities and clients, and tickets and actions, which are posted as lists.
 */
import type { VendorAnswer, VendorRequest } from '../vendors/vendor.ts';
import { servePeer } from './peer.ts';
import { haloInvoices, psaAgreements } from './psa.billing.ts';
import { haloAttachments } from './psa.files.ts';
import { isPsaCompany, openingNote, type PsaNote, type PsaPeer, type PsaTicket, psaCompanies, psaTickets } from './psa.ts';

const [clientId, clientSecret, token] = ['6a1f0c52-demo', 'demoDemoDemoDemoDemoDemo', 'halo-token-demo'];
const statuses = [
  { id: 1, name: 'New', type: 0 },
  { id: 2, name: 'In Progress', type: 0 },
  { id: 4, name: 'With User', type: 0 },
  { id: 9, name: 'Closed', type: 1 },
];
const types = [
  { id: 1, name: 'Incident' },
  { id: 21, name: 'Alert' },
];
const priorities = [1, 2, 3, 4].map((priorityid) => ({ priorityid, name: `P${priorityid}` }));
const chargeRates = [{ id: 2, name: 'Standard' }];
/** By their path, with the number of a lookup. */
const lists: Record<string, unknown> = { status: statuses, priority: priorities, lookup17: chargeRates };
const field = { name: 'CFcontractRef', label: 'Contract reference' };

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
const listed = (body: string): Record<string, unknown> | undefined => {
  const list = jsonOf(body);
  return Array.isArray(list) && typeof list[0] === 'object' && list[0] !== null
    ? (list[0] as Record<string, unknown>)
    : undefined;
};
const fault = (status: number, message: string): VendorAnswer => ({ status, body: { message } });
/** Times are UTC without saying so. */
const time = (at: number): string => new Date(at).toISOString().slice(0, -1);

const shown = (ticket: PsaTicket) => ({
  id: ticket.id,
  summary: ticket.title,
  details: ticket.text,
  client_id: ticket.company,
  tickettype_id: ticket.board,
  status_id: ticket.status,
  priority_id: ticket.priority,
  customfields: Object.entries(ticket.fields).map(([name, value]) => ({ name, value })),
  last_update: time(ticket.changedAt),
});

const shownNote = (ticket: PsaTicket, { id, author, text, isInternal, at }: PsaNote) => ({
  id,
  ticket_id: ticket.id,
  who: author,
  note: text,
  hiddenfromuser: isInternal,
  actionarrivaldate: time(at),
  timetaken: ticket.times.find((entry) => entry.text === text)?.hours ?? 0,
});

const fieldsOf = ({ customfields }: Record<string, unknown>): Record<string, string> => {
  const given = (Array.isArray(customfields) ? customfields : []) as { name: string; value: string }[];
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
};

/** Fault of a new ticket in the words of the PSA. */
function faultOf(row: Record<string, unknown>, isRequired: boolean): string | undefined {
  const { summary, client_id, tickettype_id } = row;
  if (typeof summary !== 'string' || summary === '' || summary.length > 255) return 'Summary is required.';
  if (!isPsaCompany(client_id)) return 'Client is not valid.';
  if (!types.some(({ id }) => id === tickettype_id)) return 'Ticket type is not valid.';
  return isRequired && !fieldsOf(row)[field.name] ? `${field.label} is required.` : undefined;
}

/** Notes and time entries of tickets. */
function actionsOf(psa: ReturnType<typeof psaTickets>) {
  const add = (body: string): VendorAnswer => {
    const row = listed(body);
    const ticket = psa.find(Number(row?.ticket_id));
    if (!row || !ticket) return fault(404, 'The ticket does not exist.');
    if (row.timetaken !== undefined && !(Number(row.timetaken) > 0)) return fault(400, 'The time is not valid.');
    if (row.chargerate !== undefined && !chargeRates.some(({ id }) => id === row.chargerate))
      return fault(400, 'The charge rate is not valid.');
    const id = psa.comment(ticket.id, 'Portal', String(row.note ?? ''), row.hiddenfromuser === true);
    if (row.timetaken !== undefined) {
      const [hours, type] = [Number(row.timetaken), row.chargerate === undefined ? null : Number(row.chargerate)];
      const of = { role: null, person: null, isBillable: row.actionbillable === true };
      psa.addTime(ticket.id, { text: String(row.note ?? ''), hours, type, ...of });
    }
    return { status: 201, body: { id, ticket_id: ticket.id, outcome: row.outcome } };
  };

  const list = (query: URLSearchParams): VendorAnswer => {
    const ticket = psa.find(Number(query.get('ticket_id')));
    if (!ticket) return fault(404, 'The ticket does not exist.');
    const rows = [openingNote(ticket), ...ticket.notes].map((note) => shownNote(ticket, note));
    return { body: { record_count: rows.length, actions: rows.reverse().slice(0, Number(query.get('count') ?? 50)) } };
  };
  return { add, list };
}

/** Starts a simulated HaloPSA; `people` work at it. */
export async function startHalo(port?: number): Promise<PsaPeer> {
  const psa = psaTickets(2001);
  const agreements = psaAgreements(301);
  const actions = actionsOf(psa);
  const attachments = haloAttachments(psa);

  const save = (body: string): VendorAnswer => {
    const row = listed(body);
    if (!row) return fault(400, 'A list of tickets is expected.');
    const status = row.status_id ?? 1;
    if (!statuses.some(({ id }) => id === status)) return fault(400, 'The status is not valid.');
    if (row.id !== undefined) {
      if (!psa.find(Number(row.id))) return fault(404, 'The ticket does not exist.');
      return { status: 201, body: shown(psa.change(Number(row.id), { status: Number(status) })) };
    }
    const { summary, details, client_id, tickettype_id, priority_id } = row;
    const wrong = faultOf(row, psa.isRequired());
    if (wrong !== undefined) return fault(400, wrong);
    const ticket = psa.open({
      title: String(summary),
      text: String(details ?? ''),
      company: Number(client_id),
      status: Number(status),
      priority: typeof priority_id === 'number' ? priority_id : null,
      board: Number(tickettype_id),
      reference: '',
      fields: fieldsOf(row),
    });
    return { status: 201, body: shown(ticket) };
  };

  const list = (query: URLSearchParams): VendorAnswer => {
    const since = query.get('lastupdatefromdate');
    const term = query.get('search') ?? '';
    const all = psa.changed(since === null ? 0 : Date.parse(`${since}Z`)).filter(({ title }) => title.includes(term));
    const [size, page] = [Number(query.get('page_size') ?? 50), Number(query.get('page_no') ?? 1)];
    return { body: { record_count: all.length, tickets: all.slice((page - 1) * size, page * size).map(shown) } };
  };

  const read = (path: string, query: URLSearchParams): VendorAnswer => {
    const [, thing, id] = /^\/api\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
    const rows = lists[`${thing}${query.has('lookupid') ? query.get('lookupid') : ''}`];
    if (rows) return { body: rows };
    if (thing === 'tickettype' && id === undefined) return { body: types };
    if (thing === 'tickettype') return { body: { id: Number(id), fields: [{ fieldinfo: field, mandatory: psa.isRequired() }] } };
    if (thing === 'client') return { body: { record_count: psaCompanies.length, clients: psaCompanies } };
    if (thing === 'attachment') return attachments.list(query);
    if (thing === 'actions') return actions.list(query);
    if (thing === 'tickets' && id === undefined) return list(query);
    const ticket = thing === 'tickets' ? psa.find(Number(id)) : undefined;
    return ticket ? { body: shown(ticket) } : fault(404, 'Not found');
  };

  const answer = ({ method, url, headers, body }: VendorRequest): VendorAnswer => {
    if (url.pathname === '/auth/token') {
      const form = new URLSearchParams(body);
      const isValid = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
      if (!isValid || form.get('grant_type') !== 'client_credentials') return { status: 400, body: { error: 'invalid_client' } };
      return { body: { access_token: token, token_type: 'Bearer', expires_in: 3_600 } };
    }
    if (headers.authorization !== `Bearer ${token}`) return fault(401, 'Authorization has been denied for this request.');
    const invoices = haloInvoices(agreements, method, url.pathname, url.searchParams, body);
    if (invoices) return invoices;
    if (method === 'GET') return read(url.pathname, url.searchParams);
    if (method === 'POST' && url.pathname === '/api/tickets') return save(body);
    if (method === 'POST' && url.pathname === '/api/attachment') return attachments.add(listed(body));
    if (method === 'POST' && url.pathname === '/api/actions') return actions.add(body);
    return fault(404, 'Not found');
  };

  const peer = await servePeer('halo', port, answer, (url) => ({ site: url, clientId, clientSecret }));
  return {
    ...peer,
    people: psa.people,
    bookkeepers: agreements.bookkeepers,
    board: '21',
    company: '31',
    statuses: { open: 1, working: 2, waiting: 4, closed: 9 },
  };
}
