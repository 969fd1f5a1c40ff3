/**
 * HaloPSA: tickets with their actions. Source: the API's own description at {site}/apidoc, and the published module HaloAPI 1.24 (templates and
 * parameters of tickets, actions, ticket types, statuses, priorities and clients).
 */
import type { Values } from '../connector.ts';
import { hostPattern, objectOf, originOf, timeOf } from '../values.ts';
import { sendToPsa } from './billing.ts';
import { haloBilling } from './halo.billing.ts';
import { haloFiles } from './halo.files.ts';
import { haloTime } from './halo.time.ts';
import { segment } from './outcomes.ts';
import { haloCallbacks } from './psa.callbacks.ts';
import type { OutRequest, Send, TargetKind } from './target.ts';
import { timeChoices } from './ticketing.time.ts';
import { callJson, confirmedId, idText, labelText, maxCompanies, orMissing, plainOf, unconfirmed } from './tickets.calls.ts';
import type { Choice, RemoteTicket, TicketApi, TicketField, TicketNote } from './tickets.ts';

const who = 'HaloPSA';
const pageSize = 100;
const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'Portal-Deliveries/1' };

type Call = (method: OutRequest['method'], path: string, body?: unknown, summary?: string) => Promise<unknown>;

/** Calls with one token, which is fetched with the first of them. */
function callerOf({ site = '', clientId = '', clientSecret = '' }: Values, send: Send): Call {
  const origin = originOf(site);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: 'all' };
  const fetchToken = async (): Promise<string> => {
    const answer = await callJson(who, send, {
      method: 'POST',
      url: `${origin}/auth/token`,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      isConfidential: true,
    });
    const token = objectOf(answer)?.access_token;
    if (typeof token !== 'string' || token === '') throw unconfirmed(who, 'sign-in');
    return token;
  };
  let token: Promise<string> | undefined;
  return async (method, path, body, summary) => {
    token ??= fetchToken();
    const authorization = `Bearer ${await token}`;
    const request = {
      method,
      url: `${origin}/api${path}`,
      headers: { ...headers, authorization },
      ...(summary !== undefined && { summary }),
    };
    return callJson(who, send, body === undefined ? request : { ...request, body: JSON.stringify(body) });
  };
}

/** Rows of an answer that is a list, or has one under a name. */
function rowsOf(answer: unknown, name: string): Record<string, unknown>[] {
  const list: unknown = Array.isArray(answer) ? answer : objectOf(answer)?.[name];
  return Array.isArray(list) ? list.flatMap((row: unknown): Record<string, unknown>[] => [objectOf(row) ?? {}]) : [];
}

const choicesOf = (rows: readonly Record<string, unknown>[], id = 'id', label = 'name'): Choice[] =>
  rows.flatMap((row) => {
    const found = idText(row[id]);
    return found === undefined ? [] : [{ id: found, label: labelText(row[label]) || found }];
  });

/** Statuses are closed by their type; 9 is Closed, 8 Closed Order in every installation. */
const isClosedStatus = (row: Record<string, unknown>): boolean =>
  row.type === 1 || ['8', '9'].includes(idText(row.id) ?? '') || /^(closed|resolved|completed)$/i.test(labelText(row.name));

function fieldsOf(answer: unknown): TicketField[] {
  return rowsOf(objectOf(answer)?.fields, 'fields').flatMap((row) => {
    const info = objectOf(row.fieldinfo) ?? row;
    const name = labelText(info.name);
    if (!name.startsWith('CF')) return [];
    const options = choicesOf(rowsOf(info.values, 'values'));
    const field = { id: name, label: labelText(info.label) || name, isRequired: row.mandatory === true };
    return [{ ...field, options: options.length > 0 ? options : null }];
  });
}

function ticketOf(row: unknown, site: string): RemoteTicket | undefined {
  const ticket = objectOf(row);
  const id = idText(ticket?.id);
  if (!ticket || id === undefined || ticket.deleted === true) return undefined;
  const changed = String(ticket.last_update ?? ticket.lastactiondate ?? '');
  return {
    id,
    url: `${originOf(site)}/tickets?id=${segment(id)}`,
    status: idText(ticket.status_id) ?? '',
    // Times are UTC without saying so.
    changedAt: timeOf(/[zZ]|[+-]\d\d:?\d\d$/.test(changed) ? changed : `${changed}Z`) ?? 0,
  };
}

const noteOf = (row: Record<string, unknown>): TicketNote[] => {
  const id = idText(row.id);
  const text = typeof row.note === 'string' && row.note !== '' ? row.note : plainOf(String(row.note_html ?? ''));
  return id === undefined || text.trim() === ''
    ? []
    : [{ id, author: labelText(row.who), text: plainOf(text), isInternal: row.hiddenfromuser !== false }];
};

async function companiesOf(call: Call): Promise<{ companies: Choice[]; isPartial: boolean }> {
  const companies: Choice[] = [];
  for (let page = 1; companies.length < maxCompanies; page++) {
    const query = new URLSearchParams({ pageinate: 'true', page_size: String(pageSize), page_no: String(page), order: 'name' });
    const rows = rowsOf(await call('GET', `/client?${query}`), 'clients');
    companies.push(...choicesOf(rows));
    if (rows.length < pageSize) return { companies, isPartial: false };
  }
  return { companies, isPartial: true };
}

function haloTickets(values: Values, send: Send): TicketApi {
  const call = callerOf(values, send);
  const { site = '' } = values;
  const one = (answer: unknown) => ticketOf(Array.isArray(answer) ? answer[0] : answer, site);
  const notes: TicketApi['notes'] = async (id) => {
    const query = new URLSearchParams({ ticket_id: id, excludesys: 'true', count: '100' });
    return rowsOf(await call('GET', `/actions?${query}`), 'actions').flatMap(noteOf);
  };
  const choices = async (path: string) => choicesOf(rowsOf(await call('GET', path), 'lookups'));
  const time = haloTime(who, call, { choices, notes });
  const files = haloFiles(who, {
    list: async (ticket) => rowsOf(await call('GET', `/attachment?ticket_id=${segment(ticket)}`), 'attachments'),
    post: (rows, summary) => call('POST', '/attachment', rows, summary),
  });
  return {
    who,
    time,
    files,
    isOrdered: false,
    check: async () => void (await call('GET', '/status?type=ticket')),

    async choices(board) {
      const boards = choicesOf(rowsOf(await call('GET', '/tickettype'), 'tickettypes'));
      const statuses = rowsOf(await call('GET', '/status?type=ticket'), 'statuses');
      const priorities = rowsOf(await call('GET', '/priority'), 'priorities');
      const details = board === '' ? {} : await orMissing(call('GET', `/tickettype/${segment(board)}?includedetails=true`));
      const closed = new Set(choicesOf(statuses.filter(isClosedStatus)).map(({ id }) => id));
      return {
        boards,
        types: [],
        statuses: choicesOf(statuses).map((status) => ({ ...status, isClosed: closed.has(status.id) })),
        priorities: choicesOf(priorities, 'priorityid'),
        fields: fieldsOf(details),
        time: await timeChoices(time),
        ...(await companiesOf(call)),
      };
    },

    async find(reference) {
      const query = new URLSearchParams({ search: reference, pageinate: 'true', page_size: '20', page_no: '1' });
      const rows = rowsOf(await call('GET', `/tickets?${query}`), 'tickets');
      return ticketOf(
        rows.find(({ summary }) => String(summary).endsWith(`[${reference}]`)),
        site,
      );
    },

    async create({ reference, company, title, text, priority, status }, { board, fields }) {
      const ticket = {
        // The reference ends the summary, whose length is limited.
        summary: `${title.slice(0, 180).toWellFormed()} [${reference}]`,
        details: text,
        client_id: Number(company),
        tickettype_id: Number(board),
        ...(status !== '' && { status_id: Number(status) }),
        ...(priority !== '' && { priority_id: Number(priority) }),
        customfields: Object.entries(fields).flatMap(([name, value]) => (value === '' ? [] : [{ name, value }])),
        dont_do_rules: false,
      };
      const made = one(await call('POST', '/tickets', [ticket]));
      if (!made) throw unconfirmed(who, 'ticket');
      return made;
    },

    read: async (id) => one(await orMissing(call('GET', `/tickets/${segment(id)}`))),

    setStatus: async (id, status) => void (await call('POST', '/tickets', [{ id: Number(id), status_id: Number(status) }])),

    notes,

    async addNote(id, note) {
      const action = { ticket_id: Number(id), outcome: 'Private Note', note, hiddenfromuser: true };
      const answer = await call('POST', '/actions', [action]);
      return confirmedId(who, 'note', objectOf(Array.isArray(answer) ? answer[0] : answer)?.id);
    },

    async changed(since, page) {
      const query = new URLSearchParams({
        lastupdatefromdate: new Date(since).toISOString().slice(0, 19),
        order: 'last_update',
        orderdesc: 'false',
        pageinate: 'true',
        page_size: String(pageSize),
        page_no: String(page),
      });
      const rows = rowsOf(await call('GET', `/tickets?${query}`), 'tickets');
      return { tickets: rows.flatMap((row) => ticketOf(row, site) ?? []), isLast: rows.length < pageSize };
    },
  };
}

const billing = (values: Values, send: Send) => haloBilling(who, callerOf(values, send));

export const halo: TargetKind = {
  id: 'halo',
  title: who,
  capabilities: ['ticket'],
  isForClients: false,
  follows: true,
  documentation: 'https://halopsa.com/apidoc/',
  fields: [
    {
      name: 'site',
      label: 'Site',
      hint: 'Such as acme.halopsa.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter the host name of the site, such as acme.halopsa.com.',
    },
    {
      name: 'clientId',
      label: 'Client ID',
      hint: 'Of the API application',
      isSecret: false,
      pattern: /^[\w-]{8,100}$/,
      fault: 'Enter the client ID of the API application.',
    },
    {
      name: 'clientSecret',
      label: 'Client secret',
      hint: 'Shown once, when the application is created',
      isSecret: true,
      pattern: /^\S{8,500}$/,
      fault: 'Enter the client secret of the API application.',
    },
  ],
  steps: [
    'In HaloPSA create an agent for the portal, and under Configuration › Integrations › HaloPSA API an application of the type Client ID and Secret that signs in as it.',
    'Grant it the permissions edit:tickets and read:customers, and copy client ID and secret into the form.',
    'After adding the target, open Tickets: choose ticket type, statuses, priorities and the company of each client.',
  ],
  send: sendToPsa(haloTickets, billing),
  tickets: haloTickets,
  callbacks: haloCallbacks,
  billing,
};
