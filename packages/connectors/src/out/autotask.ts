/**
 * Autotask PSA: tickets with their notes. Source: autotask.net/help/developerhelp, "REST API" 1.0 (zone information, Tickets, TicketNotes, Companies,
 * entity information with picklists, queries, errors).
 */
import type { Values } from '../connector.ts';
import { hostPattern, objectOf, originOf, timeOf } from '../values.ts';
import { autotaskBilling } from './autotask.billing.ts';
import { autotaskFiles } from './autotask.files.ts';
import { autotaskTime } from './autotask.time.ts';
import { sendToPsa } from './billing.ts';
import { segment } from './outcomes.ts';
import { autotaskCallbacks } from './psa.callbacks.ts';
import type { OutRequest, Send, TargetKind } from './target.ts';
import { timeChoices } from './ticketing.time.ts';
import {
  callJson,
  confirmedId,
  idText,
  labelText,
  maxCompanies,
  orMissing,
  plainOf,
  TicketFailure,
  unconfirmed,
} from './tickets.calls.ts';
import type { Choice, RemoteTicket, TicketApi, TicketField, TicketNote, TicketSetup } from './tickets.ts';

const who = 'Autotask';
const pageSize = 500;
const ticketFields = ['id', 'status', 'lastActivityDate'];
/** "Complete" in every installation. */
const complete = '5';

type Row = Record<string, unknown>;
type Call = (method: OutRequest['method'], path: string, body?: unknown, summary?: string) => Promise<Row>;

function callerOf({ zone = '', user = '', secret = '', integrationCode = '' }: Values, send: Send): Call {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'Portal-Deliveries/1',
    ApiIntegrationCode: integrationCode,
    UserName: user,
    Secret: secret,
  };
  return async (method, path, body, summary) => {
    const request = {
      method,
      url: `${originOf(zone)}/ATServicesRest/V1.0${path}`,
      headers,
      ...(summary !== undefined && { summary }),
    };
    const sent = body === undefined ? request : { ...request, body: JSON.stringify(body) };
    return objectOf(await callJson(who, send, sent).catch(asRefusal)) ?? {};
  };
}

/** Invalid values are errors 500 with a list of texts, which no repetition changes; outages have none. */
function asRefusal(error: unknown): never {
  if (
    error instanceof TicketFailure &&
    error.status === 500 &&
    error.outcome.kind === 'retry' &&
    isFault.test(error.outcome.words)
  )
    throw new TicketFailure({ kind: 'refused', words: error.outcome.words }, error.status);
  throw error;
}
const isFault = /required|invalid|not valid|does not exist|must |cannot |maximum length/i;

const rowsOf = (list: unknown): Row[] => (Array.isArray(list) ? list.map((row: unknown): Row => objectOf(row) ?? {}) : []);
const filter = (...parts: [field: string, op: string, value: unknown][]) =>
  parts.map(([field, op, value]) => ({ op, field, value }));

const query = (call: Call, entity: string, body: Row) =>
  call('POST', `/${entity}/query`, body).then(({ items }) => rowsOf(items));

/** Choices of a picklist; inactive ones are left out. */
function picklistOf(field: Row | undefined): Choice[] {
  return rowsOf(field?.picklistValues).flatMap((row) => {
    const id = idText(row.value);
    return id === undefined || row.isActive === false ? [] : [{ id, label: labelText(row.label) || id }];
  });
}

function ownFieldsOf(fields: readonly Row[]): TicketField[] {
  return fields.flatMap((row) => {
    const id = labelText(row.name).slice(0, 60);
    if (id === '') return [];
    const options = picklistOf(row);
    return [
      {
        id,
        label: labelText(row.label) || id,
        isRequired: row.isRequired === true,
        options: options.length > 0 ? options : null,
      },
    ];
  });
}

function ticketOf(row: Row, zone: string): RemoteTicket | undefined {
  const id = idText(row.id);
  if (id === undefined) return undefined;
  // The pages of a zone are beside its services: webservices14 and ww14.
  const pages = originOf(zone).replace('//webservices', '//ww');
  return {
    id,
    url: `${pages}/Autotask/AutotaskExtend/ExecuteCommand.aspx?Code=OpenTicketDetail&TicketID=${segment(id)}`,
    status: idText(row.status) ?? '',
    changedAt: timeOf(row.lastActivityDate) ?? 0,
  };
}

function noteOf(row: Row): TicketNote[] {
  const id = idText(row.id);
  const text = plainOf(typeof row.description === 'string' ? row.description : '');
  if (id === undefined || text.trim() === '') return [];
  const author = idText(row.createdByContactID) !== undefined ? 'Contact' : 'Technician';
  const number = idText(row.createdByContactID) ?? idText(row.creatorResourceID);
  // 1 publishes to all users and the customer.
  return [{ id, author: number === undefined ? '' : `${author} ${number}`, text, isInternal: row.publish !== 1 }];
}

/** Names of technicians in place of their numbers. */
async function withNames(call: Call, rows: readonly Row[]): Promise<TicketNote[]> {
  const ids = [...new Set(rows.flatMap((row) => idText(row.creatorResourceID) ?? []))];
  if (ids.length === 0) return rows.flatMap(noteOf);
  const found = await query(call, 'Resources', {
    MaxRecords: pageSize,
    IncludeFields: ['id', 'firstName', 'lastName'],
    filter: filter(['id', 'in', ids.map(Number)]),
  });
  const names = new Map(found.map((row) => [idText(row.id), `${labelText(row.firstName)} ${labelText(row.lastName)}`.trim()]));
  return rows.flatMap((row) => {
    const name = idText(row.createdByContactID) === undefined ? names.get(idText(row.creatorResourceID)) : undefined;
    return noteOf(row).map((note) => (name ? { ...note, author: name } : note));
  });
}

/** Pages of notes at most. */
const maxNotePages = 40;

/** All notes of a ticket, oldest first: queries return the first ones by their id. */
async function notesOf(call: Call, ticket: string): Promise<Row[]> {
  const notes: Row[] = [];
  for (let after = 0, page = 1; page <= maxNotePages; page++) {
    const rows = await query(call, 'TicketNotes', {
      MaxRecords: pageSize,
      filter: filter(['ticketID', 'eq', Number(ticket)], ['id', 'gt', after]),
    });
    notes.push(...rows);
    after = Math.max(after, ...rows.map(({ id }) => Number(id) || 0));
    if (rows.length < pageSize) break;
  }
  return notes;
}

async function companiesOf(call: Call): Promise<{ companies: Choice[]; isPartial: boolean }> {
  const companies: Choice[] = [];
  for (let after = 0; companies.length < maxCompanies; ) {
    const rows = await query(call, 'Companies', {
      MaxRecords: pageSize,
      IncludeFields: ['id', 'companyName'],
      filter: filter(['id', 'gt', after], ['isActive', 'eq', true]),
    });
    const found = rows.flatMap((row) => {
      const id = idText(row.id);
      return id === undefined ? [] : [{ id, label: labelText(row.companyName) || id }];
    });
    companies.push(...found);
    after = Math.max(after, ...found.map(({ id }) => Number(id)));
    if (rows.length < pageSize) {
      companies.sort((one, other) => one.label.localeCompare(other.label, 'en'));
      return { companies, isPartial: false };
    }
  }
  return { companies, isPartial: true };
}

const newTicket = (draft: Parameters<TicketApi['create']>[0], { board, fields }: TicketSetup) => ({
  title: draft.title.slice(0, 255).toWellFormed(),
  description: draft.text.slice(0, 8_000).toWellFormed(),
  companyID: Number(draft.company),
  queueID: Number(board),
  externalID: draft.reference,
  status: Number(draft.status || 1),
  ...(draft.priority !== '' && { priority: Number(draft.priority) }),
  userDefinedFields: Object.entries(fields).flatMap(([name, value]) => (value === '' ? [] : [{ name, value }])),
});

function autotaskTickets(values: Values, send: Send): TicketApi {
  const call = callerOf(values, send);
  const { zone = '' } = values;
  const read: TicketApi['read'] = async (id) => {
    const answer = await orMissing(call('GET', `/Tickets/${segment(id)}`));
    // A missing ticket is an empty item too.
    return answer && ticketOf(objectOf(answer.item) ?? {}, zone);
  };
  const time = autotaskTime(who, {
    query: (entity, conditions, IncludeFields) =>
      query(call, entity, { MaxRecords: pageSize, IncludeFields, filter: conditions }),
    post: (path, body) => call('POST', path, body),
  });
  const files = autotaskFiles(who, {
    query: (ticket) =>
      query(call, 'TicketAttachments', {
        MaxRecords: pageSize,
        IncludeFields: ['id', 'fullPath'],
        filter: filter(['ticketID', 'eq', ticket]),
      }),
    post: (ticket, body, summary) => call('POST', `/Tickets/${segment(ticket)}/Attachments`, body, summary),
  });
  let after = 0;
  return {
    who,
    time,
    files,
    isOrdered: false,
    check: async () =>
      void (await query(call, 'Companies', { MaxRecords: 1, IncludeFields: ['id'], filter: filter(['id', 'gte', 0]) })),

    async choices() {
      const standard = rowsOf((await call('GET', '/Tickets/entityInformation/fields')).fields);
      const own = rowsOf((await call('GET', '/Tickets/entityInformation/userDefinedFields')).fields);
      const named = (name: string) => picklistOf(standard.find((field) => field.name === name));
      return {
        boards: named('queueID'),
        types: [],
        statuses: named('status').map((status) => ({ ...status, isClosed: status.id === complete })),
        priorities: named('priority'),
        fields: ownFieldsOf(own),
        time: await timeChoices(time),
        ...(await companiesOf(call)),
      };
    },

    async find(reference) {
      const of = { MaxRecords: 1, IncludeFields: ticketFields, filter: filter(['externalID', 'eq', reference]) };
      const [row] = await query(call, 'Tickets', of);
      return row && ticketOf(row, zone);
    },

    async create(draft, setup) {
      const id = idText((await call('POST', '/Tickets', newTicket(draft, setup))).itemId);
      const made = id === undefined ? undefined : await read(id);
      if (!made) throw unconfirmed(who, 'ticket');
      return made;
    },

    read,
    setStatus: async (id, status) => void (await call('PATCH', '/Tickets', { id: Number(id), status: Number(status) })),

    notes: async (id) => withNames(call, (await notesOf(call, id)).toReversed().slice(0, 100)),

    async addNote(id, text) {
      // Type 1 is a task summary; published to users of Autotask only.
      const note = { title: 'Portal', description: text, noteType: 1, publish: 2 };
      return confirmedId(who, 'note', (await call('POST', `/Tickets/${segment(id)}/Notes`, note)).itemId);
    },

    /** Rows come by their id. */
    async changed(since, page) {
      if (page === 1) after = 0;
      const rows = await query(call, 'Tickets', {
        MaxRecords: pageSize,
        IncludeFields: ticketFields,
        filter: filter(['lastActivityDate', 'gte', new Date(since).toISOString()], ['id', 'gt', after]),
      });
      after = Math.max(after, ...rows.map(({ id }) => Number(id) || 0));
      return { tickets: rows.flatMap((row) => ticketOf(row, zone) ?? []), isLast: rows.length < pageSize };
    },
  };
}

const billing = (values: Values, send: Send) => autotaskBilling(who, callerOf(values, send));

export const autotask: TargetKind = {
  id: 'autotask',
  title: who,
  capabilities: ['ticket'],
  isForClients: false,
  follows: true,
  documentation: 'https://www.autotask.net/help/developerhelp/Content/APIs/REST/REST_API_Home.htm',
  fields: [
    {
      name: 'zone',
      label: 'Zone',
      hint: 'Host name of your zone, such as webservices14.autotask.net',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter the host name of your zone, such as webservices14.autotask.net.',
    },
    {
      name: 'user',
      label: 'API user',
      hint: 'User name (key) of the API user',
      isSecret: false,
      pattern: /^\S{3,200}$/,
      fault: 'Enter the user name of the API user.',
    },
    {
      name: 'secret',
      label: 'Secret',
      hint: 'Password (secret) of the API user',
      isSecret: true,
      pattern: /^\S{6,200}$/,
      fault: 'Enter the secret of the API user.',
    },
    {
      name: 'integrationCode',
      label: 'Tracking identifier',
      hint: 'Of the API user, custom or of the vendor',
      isSecret: true,
      pattern: /^\w{6,100}$/,
      fault: 'Enter the tracking identifier of the API user.',
    },
  ],
  steps: [
    'In Autotask open Admin › Resources/Users, add an API user with the security level API User, and choose a custom tracking identifier.',
    'Find your zone: sign in, and read the number in the address; ww14.autotask.net is webservices14.autotask.net.',
    'After adding the target, open Tickets: choose queue, statuses, priorities and the company of each client.',
  ],
  send: sendToPsa(autotaskTickets, billing),
  tickets: autotaskTickets,
  callbacks: autotaskCallbacks,
  billing,
};
