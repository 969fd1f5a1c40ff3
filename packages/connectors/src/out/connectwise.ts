/**
 * ConnectWise Manage (PSA): service tickets with their notes. Source: developer.connectwise.com, "Manage REST API" 3.0 (service/tickets and their notes,
 * service/boards, service/priorities, company/companies, system/userDefinedFields; JSON Patch, conditions, paging).
 */
import type { Values } from '../connector.ts';
import { UnavailableError } from '../errors.ts';
import { hostPattern, objectOf, originOf, timeOf } from '../values.ts';
import { sendToPsa } from './billing.ts';
import { connectwiseBilling } from './connectwise.billing.ts';
import { connectwiseFiles } from './connectwise.files.ts';
import { connectwiseTime } from './connectwise.time.ts';
import { segment } from './outcomes.ts';
import { connectwiseCallbacks } from './psa.callbacks.ts';
import type { OutRequest, Send, TargetKind } from './target.ts';
import { timeChoices } from './ticketing.time.ts';
import { callJson, confirmedId, idText, labelText, maxCompanies, orMissing, plainOf, unconfirmed } from './tickets.calls.ts';
import type { Choice, RemoteTicket, TicketApi, TicketField, TicketNote } from './tickets.ts';

const who = 'ConnectWise Manage';
const pageSize = 250;
const changedPageSize = 100;
const maxSummary = 100;
const ticketFields = 'id,status,_info';

type Row = Record<string, unknown>;
type Call = (
  method: OutRequest['method'],
  path: string,
  body?: unknown,
  file?: { type: string; body: Uint8Array; summary: string },
) => Promise<unknown>;

function callerOf({ site = '', company = '', publicKey = '', privateKey = '', clientId = '' }: Values, send: Send): Call {
  const authorization = `Basic ${Buffer.from(`${company}+${publicKey}:${privateKey}`).toString('base64')}`;
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'Portal-Deliveries/1',
    authorization,
    clientId,
  };
  return (method, path, body, file) => {
    const request = { method, url: `${originOf(site)}/v4_6_release/apis/3.0${path}`, headers };
    if (file) {
      const { type, ...sent } = file;
      return callJson(who, send, { ...request, headers: { ...headers, 'content-type': type }, ...sent });
    }
    return callJson(who, send, body === undefined ? request : { ...request, body: JSON.stringify(body) });
  };
}

const rowsOf = (answer: unknown): Row[] => (Array.isArray(answer) ? answer.map((row: unknown): Row => objectOf(row) ?? {}) : []);
const choicesOf = (rows: readonly Row[]): Choice[] =>
  rows.flatMap((row) => {
    const id = idText(row.id);
    return id === undefined ? [] : [{ id, label: labelText(row.name) || id }];
  });
/** A value within a condition; quotes and backslashes would end it. */
const quoted = (value: string): string => `"${value.replace(/["\\]/g, '')}"`;
const list = (call: Call, path: string, query: Record<string, string> = {}) =>
  call('GET', `${path}?${new URLSearchParams({ pageSize: String(pageSize), ...query })}`).then(rowsOf);

/** Custom fields of service tickets; those of one board belong to it alone. */
function fieldsOf(rows: readonly Row[], board: string): TicketField[] {
  return rows.flatMap((row) => {
    const id = idText(row.id);
    const boards = Array.isArray(row.boardIds) ? row.boardIds.map(String) : [];
    // Of companies, contacts and all others too.
    if (
      id === undefined ||
      !/service ticket/i.test(labelText(row.podDescription)) ||
      (boards.length > 0 && !boards.includes(board))
    )
      return [];
    const options = (Array.isArray(row.options) ? row.options : []).flatMap((option: unknown) => {
      const value = labelText(objectOf(option)?.optionValue);
      return value === '' ? [] : [{ id: value.slice(0, 60), label: value }];
    });
    const isRequired = row.requiredFlag === true;
    return [{ id, label: labelText(row.caption) || id, isRequired, options: options.length > 0 ? options : null }];
  });
}

function ticketOf(row: unknown, site: string): RemoteTicket | undefined {
  const ticket = objectOf(row);
  const id = idText(ticket?.id);
  if (!ticket || id === undefined) return undefined;
  return {
    id,
    url: `${originOf(site)}/v4_6_release/services/system_io/Service/fv_sr100_request.rails?service_recid=${segment(id)}`,
    status: idText(objectOf(ticket.status)?.id) ?? '',
    changedAt: timeOf(objectOf(ticket._info)?.lastUpdated) ?? 0,
  };
}

function noteOf(row: Row): TicketNote[] {
  const id = idText(row.id);
  const text = plainOf(typeof row.text === 'string' ? row.text : '');
  if (id === undefined || text.trim() === '') return [];
  const author = [objectOf(row.member)?.name, objectOf(row.contact)?.name, row.createdBy]
    .map(labelText)
    .find((name) => name !== '');
  return [{ id, author: author ?? '', text, isInternal: row.internalAnalysisFlag !== false }];
}

async function companiesOf(call: Call): Promise<{ companies: Choice[]; isPartial: boolean }> {
  const companies: Choice[] = [];
  for (let page = 1; companies.length < maxCompanies; page++) {
    const query = { conditions: 'deletedFlag=false', fields: 'id,name', orderBy: 'name asc', page: String(page) };
    const rows = await list(call, '/company/companies', query);
    companies.push(...choicesOf(rows));
    if (rows.length < pageSize) return { companies, isPartial: false };
  }
  return { companies, isPartial: true };
}

const ref = (id: string): { id: number } => ({ id: Number(id) });

function connectwiseTickets(values: Values, send: Send): TicketApi {
  const call = callerOf(values, send);
  const { site = '' } = values;
  const time = connectwiseTime(who, call, { choicesOf, list: (path, query) => list(call, path, query) });
  const files = connectwiseFiles(who, {
    list: (query) => list(call, '/system/documents', query),
    post: (type, body, summary) => call('POST', '/system/documents', undefined, { type, body, summary }),
  });
  return {
    who,
    time,
    files,
    isOrdered: true,
    check: async () => void (await list(call, '/service/boards', { pageSize: '1' })),

    async choices(board) {
      const boards = choicesOf(await list(call, '/service/boards', { conditions: 'inactiveFlag=false', fields: 'id,name' }));
      const of = `/service/boards/${segment(board)}`;
      const isKnown = boards.some(({ id }) => id === board);
      const statuses = isKnown ? await list(call, `${of}/statuses`) : [];
      const types = isKnown ? await list(call, `${of}/types`) : [];
      const closed = new Set(choicesOf(statuses.filter((row) => row.closedStatus === true)).map(({ id }) => id));
      return {
        boards,
        types: choicesOf(types),
        statuses: choicesOf(statuses).map((status) => ({ ...status, isClosed: closed.has(status.id) })),
        priorities: choicesOf(await list(call, '/service/priorities')),
        fields: fieldsOf(await list(call, '/system/userDefinedFields', { pageSize: '1000' }), board),
        time: await timeChoices(time),
        ...(await companiesOf(call)),
      };
    },

    async find(reference) {
      const conditions = `externalXRef=${quoted(reference)}`;
      const [row] = await list(call, '/service/tickets', { conditions, fields: ticketFields, orderBy: 'id asc', pageSize: '1' });
      return ticketOf(row, site);
    },

    async create({ reference, company, title, text, priority, status }, { board, type, fields }) {
      const ticket = {
        summary: title.slice(0, maxSummary).toWellFormed(),
        initialDescription: text,
        board: ref(board),
        company: ref(company),
        externalXRef: reference,
        ...(type !== '' && { type: ref(type) }),
        ...(status !== '' && { status: ref(status) }),
        ...(priority !== '' && { priority: ref(priority) }),
        customFields: Object.entries(fields).flatMap(([id, value]) => (value === '' ? [] : [{ id: Number(id), value }])),
      };
      const made = ticketOf(await call('POST', '/service/tickets', ticket), site);
      if (!made) throw unconfirmed(who, 'ticket');
      return made;
    },

    read: async (id) => ticketOf(await orMissing(call('GET', `/service/tickets/${segment(id)}?fields=${ticketFields}`)), site),

    setStatus: async (id, status) =>
      void (await call('PATCH', `/service/tickets/${segment(id)}`, [{ op: 'replace', path: 'status', value: ref(status) }])),

    async notes(id) {
      const query = { orderBy: 'id desc', pageSize: '100' };
      return (await list(call, `/service/tickets/${segment(id)}/notes`, query)).flatMap(noteOf);
    },

    async addNote(id, text) {
      const note = { text, internalAnalysisFlag: true, detailDescriptionFlag: false, resolutionFlag: false };
      return confirmedId(who, 'note', objectOf(await call('POST', `/service/tickets/${segment(id)}/notes`, note))?.id);
    },

    async changed(since, page) {
      const query = {
        conditions: `lastUpdated>=[${new Date(since).toISOString().slice(0, 19)}Z]`,
        fields: ticketFields,
        orderBy: '_info/lastUpdated asc',
        page: String(page),
        pageSize: String(changedPageSize),
      };
      const rows = await list(call, '/service/tickets', query);
      return { tickets: rows.flatMap((row) => ticketOf(row, site) ?? []), isLast: rows.length < changedPageSize };
    },
  };
}

const key = (name: string, label: string, isSecret: boolean, hint: string) => ({
  name,
  label,
  hint,
  isSecret,
  pattern: /^[\w-]{4,100}$/,
  fault: `Enter the ${label.toLowerCase()} as ConnectWise shows it.`,
});

const billing = (values: Values, send: Send) => connectwiseBilling(who, callerOf(values, send));

const maxCallbackPages = 40;

async function callbackAt(call: Call, address: string): Promise<Row | undefined> {
  for (let page = 1; page <= maxCallbackPages; page++) {
    const rows = await list(call, '/system/callbacks', { orderBy: 'id asc', page: String(page) });
    const found = rows.find(({ url }) => url === address);
    if (found || rows.length < pageSize) return found;
  }
  throw new UnavailableError(`${who} has too many callbacks to look through. Remove those that are not used.`);
}

async function setInactive(call: Call, row: Row, isInactive: boolean): Promise<void> {
  if ((row.inactiveFlag === true) === isInactive) return;
  const id = confirmedId(who, 'callback', row.id);
  const patch = [{ op: 'replace', path: 'inactiveFlag', value: isInactive }];
  const changed = objectOf(await call('PATCH', `/system/callbacks/${segment(id)}`, patch));
  if ((changed?.inactiveFlag === true) !== isInactive)
    throw new UnavailableError(`${who} left the callback ${isInactive ? 'active' : 'inactive'}.`);
}

export const connectwise: TargetKind = {
  id: 'connectwise',
  title: who,
  capabilities: ['ticket'],
  isForClients: false,
  follows: true,
  documentation: 'https://developer.connectwise.com/Products/ConnectWise_PSA/REST',
  fields: [
    {
      name: 'site',
      label: 'Site',
      hint: 'Such as api-eu.myconnectwise.net',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter the host name of the API, such as api-eu.myconnectwise.net.',
    },
    key('company', 'Company ID', false, 'With which you sign in'),
    key('publicKey', 'Public key', false, 'Of the API member'),
    key('privateKey', 'Private key', true, 'Shown once, when the key is created'),
    key('clientId', 'Client ID', false, 'From developer.connectwise.com › ClientID'),
  ],
  steps: [
    'In ConnectWise open System › Members › API Members, add a member with a role that may read companies and add, edit and inquire service tickets (and time entries, if the portal enters time), and create an API key.',
    'Create a client ID at developer.connectwise.com › ClientID.',
    'After adding the target, open Tickets: choose board, type, statuses, priorities and the company of each client.',
  ],
  send: sendToPsa(connectwiseTickets, billing),
  tickets: connectwiseTickets,
  callbacks: {
    ...connectwiseCallbacks,
    async subscribe(values, send, address) {
      const call = callerOf(values, send);
      const known = await callbackAt(call, address);
      if (known) return setInactive(call, known, false);
      const callback = { description: 'Portal', url: address, type: 'ticket', level: 'owner', objectId: 1, inactiveFlag: false };
      confirmedId(who, 'callback', objectOf(await call('POST', '/system/callbacks', callback))?.id);
    },
    async unsubscribe(values, send, address) {
      const call = callerOf(values, send);
      const known = await callbackAt(call, address);
      if (known) await setInactive(call, known, true);
    },
  },
  billing,
};
