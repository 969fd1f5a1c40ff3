/**
 * Simulated ConnectWise Manage, from developer.connectwise.com, "Manage REST API" 3.0: Basic authentication with a client ID, boards with statuses and
 * types, priorities, companies, custom fields, tickets with conditions and JSON Patch, and their notes. Errors have a code and a list of fields.
 */
import type { VendorAnswer, VendorRequest } from '../vendors/vendor.ts';
import { jsonIn, servePeer } from './peer.ts';
import { connectwiseFinance, psaAgreements } from './psa.billing.ts';
import { connectwiseKeyPath, connectwiseSigningKey } from './psa.callbacks.ts';
import { connectwiseDocuments } from './psa.files.ts';
import { connectwiseTimes } from './psa.times.ts';
import { isPsaCompany, openingNote, type PsaNote, type PsaPeer, type PsaTicket, psaCompanies, psaTickets } from './psa.ts';

const values = { company: 'alder', publicKey: 'demoPublicKey', privateKey: 'demoDemoDemoDemo', clientId: '0b5c6a1f-demo' };
const authorization = `Basic ${Buffer.from(`${values.company}+${values.publicKey}:${values.privateKey}`).toString('base64')}`;
const board = { id: 1, name: 'Security' };
const statuses = [
  { id: 16, name: 'New', closedStatus: false },
  { id: 17, name: 'In Progress', closedStatus: false },
  { id: 18, name: 'Waiting Customer', closedStatus: false },
  { id: 19, name: '>Closed', closedStatus: true },
];
const types = [{ id: 7, name: 'Incident' }];
const priorities = [1, 2, 3, 4].map((id) => ({ id, name: `Priority ${id}` }));
const field = { id: 44, caption: 'Contract reference' };

type Row = Record<string, unknown>;
const idOf = (value: unknown): number => Number((value as { id?: unknown } | undefined)?.id);
const fault = (status: number, message: string, name?: string): VendorAnswer => ({
  status,
  body: {
    code: status === 404 ? 'NotFound' : 'InvalidObject',
    message,
    errors: name === undefined ? null : [{ code: 'MissingRequiredField', message, resource: 'ticket', field: name }],
  },
});

const shown = (ticket: PsaTicket) => ({
  id: ticket.id,
  summary: ticket.title,
  board,
  status: statuses.find(({ id }) => id === ticket.status),
  company: { id: ticket.company },
  externalXRef: ticket.reference,
  _info: { lastUpdated: new Date(ticket.changedAt).toISOString() },
});

const shownNote = ({ id, author, text, isInternal, at }: PsaNote) => ({
  id,
  text,
  internalAnalysisFlag: isInternal,
  detailDescriptionFlag: !isInternal,
  member: { name: author },
  dateCreated: new Date(at).toISOString(),
});

/** Fault of a new ticket; undefined for a valid one. */
function faultOf(row: Row, isRequired: boolean): VendorAnswer | undefined {
  const { summary } = row;
  if (typeof summary !== 'string' || summary === '' || summary.length > 100) return fault(400, 'Summary is required.', 'summary');
  if (!isPsaCompany(idOf(row.company))) return fault(400, 'Company is not valid.', 'company');
  if (idOf(row.board) !== board.id) return fault(400, 'Board is not valid.', 'board');
  if (!fieldsOf(row)[field.id] && isRequired) return fault(400, `Custom field "${field.caption}" is required.`, 'customFields');
  return undefined;
}

const fieldsOf = ({ customFields }: Row): Record<string, string> =>
  Object.fromEntries(
    ((Array.isArray(customFields) ? customFields : []) as { id: number; value: string }[]).map(({ id, value }) => [id, value]),
  );

/** Rows that change with the setup of the PSA only, by their path. */
const listsOf = (isRequired: boolean): Record<string, unknown> => ({
  '/service/boards': [board],
  '/service/boards/1/statuses': statuses,
  '/service/boards/1/types': types,
  '/service/priorities': priorities,
  '/company/companies': psaCompanies,
  '/system/userDefinedFields': [
    { ...field, podDescription: 'Service Ticket', requiredFlag: isRequired, options: [] },
    { id: 45, caption: 'IMO', podDescription: 'Company', requiredFlag: true, options: [] },
  ],
});

/** Addresses that are called when a ticket changes. */
function callbacksOf() {
  const callbacks: Row[] = [];
  return (method: string, { pathname, searchParams }: URL, body: string): VendorAnswer => {
    const [page, size] = ['page', 'pageSize'].map((name) => Number(searchParams.get(name))) as [number, number];
    if (method === 'GET') return { body: callbacks.slice((page - 1) * size, page * size) };
    if (method === 'PATCH') {
      const row = callbacks.find(({ id }) => pathname.endsWith(`/${id}`));
      const [{ path, value } = {}] = JSON.parse(body) as { path?: string; value?: unknown }[];
      if (!row || path !== 'inactiveFlag') return fault(404, 'Not found');
      row.inactiveFlag = value;
      return { body: row };
    }
    const row = jsonIn(body) ?? {};
    if (typeof row.url !== 'string' || row.type !== 'ticket' || row.level !== 'owner' || row.objectId !== 1)
      return fault(400, 'The callback is not valid.', 'callback');
    callbacks.push({ id: callbacks.length + 1, ...row });
    return { status: 201, body: callbacks.at(-1)! };
  };
}

/** Starts a simulated ConnectWise Manage; `people` work at it. */
export async function startConnectWise(port?: number): Promise<PsaPeer> {
  const psa = psaTickets(51_001);
  const agreements = psaAgreements(601);

  const create = (body: string): VendorAnswer => {
    const row = jsonIn(body) ?? {};
    const wrong = faultOf(row, psa.isRequired());
    if (wrong) return wrong;
    const ticket = psa.open({
      title: String(row.summary),
      text: String(row.initialDescription ?? ''),
      company: idOf(row.company),
      status: idOf(row.status) || 16,
      priority: idOf(row.priority) || null,
      board: board.id,
      reference: String(row.externalXRef ?? ''),
      fields: fieldsOf(row),
    });
    return { status: 201, body: shown(ticket) };
  };

  const list = (query: URLSearchParams): VendorAnswer => {
    const conditions = query.get('conditions') ?? '';
    const since = /^lastUpdated>=\[([^\]]+)\]$/.exec(conditions)?.[1];
    const reference = /^externalXRef="([^"]*)"$/.exec(conditions)?.[1];
    if (conditions !== '' && since === undefined && reference === undefined) return fault(400, 'The conditions are not valid.');
    const all = psa.changed(since === undefined ? 0 : Date.parse(since));
    const found = reference === undefined ? all : all.filter((ticket) => ticket.reference === reference);
    const [size, page] = [Number(query.get('pageSize') ?? 25), Number(query.get('page') ?? 1)];
    return { body: found.slice((page - 1) * size, page * size).map(shown) };
  };

  const change = (ticket: PsaTicket, body: string): VendorAnswer => {
    let operations: { op?: unknown; path?: unknown; value?: unknown }[] = [];
    try {
      operations = JSON.parse(body);
    } catch {
      return fault(400, 'A list of operations is expected.');
    }
    const [{ op, path, value } = {}] = operations;
    if (op !== 'replace' || path !== 'status' || !statuses.some(({ id }) => id === idOf(value)))
      return fault(400, 'The operation is not valid.');
    return { body: shown(psa.change(ticket.id, { status: idOf(value) })) };
  };

  const ticketCalls = (method: string, path: string, body: string): VendorAnswer => {
    const [, id, part] = /^\/service\/tickets\/(\d+)(\/notes)?$/.exec(path) ?? [];
    const ticket = id === undefined ? undefined : psa.find(Number(id));
    if (!ticket) return fault(404, 'Service Ticket not found');
    if (part === undefined) return method === 'PATCH' ? change(ticket, body) : { body: shown(ticket) };
    if (method === 'GET') return { body: [openingNote(ticket), ...ticket.notes].map(shownNote).reverse().slice(0, 100) };
    const note = jsonIn(body) ?? {};
    const noteId = psa.comment(ticket.id, 'Portal', String(note.text ?? ''), note.internalAnalysisFlag === true);
    return { status: 201, body: { id: noteId, ticketId: ticket.id } };
  };

  const callbackCalls = callbacksOf();
  const documents = connectwiseDocuments(psa);
  const timeCalls = connectwiseTimes(psa, 19);

  const answer = ({ method, url, headers, body }: VendorRequest): VendorAnswer => {
    if (url.pathname === connectwiseKeyPath) return { body: { signing_key: connectwiseSigningKey } };
    if (headers.authorization !== authorization || headers.clientid !== values.clientId)
      return { status: 401, body: { code: 'Unauthorized', message: 'The request is not authorized.' } };
    const path = url.pathname.replace('/v4_6_release/apis/3.0', '');
    if (path === '/service/tickets') return method === 'POST' ? create(body) : list(url.searchParams);
    if (path === '/system/documents') return documents({ method, url, headers, body });
    if (path.startsWith('/system/callbacks')) return callbackCalls(method, url, body);
    if (path.startsWith('/service/tickets/')) return ticketCalls(method, path, body);
    const finance = connectwiseFinance(agreements, method, path, url.searchParams, body);
    if (finance) return finance;
    const time = timeCalls(method, path, url.searchParams, body);
    if (time) return time;
    const rows = listsOf(psa.isRequired())[path];
    return rows && method === 'GET' ? { body: rows } : fault(404, 'Not found');
  };

  const peer = await servePeer('connectwise', port, answer, (url) => ({ site: url, ...values }));
  return {
    ...peer,
    people: psa.people,
    bookkeepers: agreements.bookkeepers,
    board: '1',
    type: '7',
    company: '31',
    statuses: { open: 16, working: 17, waiting: 18, closed: 19 },
  };
}
