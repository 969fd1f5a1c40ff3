/**
 * Jira Service Management: opens a request, comments on it, closes it. Source: developer.atlassian.com, "Jira Service Management Cloud REST API",
 * groups Request and Customer request (create, comment, transition).
 */
import type { Values } from '../connector.ts';
import { hostPattern, objectOf, originOf } from '../values.ts';
import { failureOf, isSuccess, jsonHeaders, jsonOf, segment } from './outcomes.ts';
import type { Delivery, Message, OutAnswer, Outcome, OutRequest, Send, TargetKind } from './target.ts';

const who = 'Jira';
/** Transitions of which the first that exists closes a request. */
const closings = ['resolve', 'resolve this issue', 'resolved', 'done', 'close', 'closed', 'complete'];

const reference = ({ subject, data }: Message): string => `${String(data.organisation)}-${subject}`;
const summaryOf = (message: Message): string =>
  `${message.title
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed()} [${reference(message)}]`;
const textOf = ({ title, facts, url }: Message): string =>
  [title, '', ...facts.map(([name, value]) => `${name}: ${value}`), '', url].join('\n');

type Call = (method: OutRequest['method'], path: string, body?: unknown) => Promise<OutAnswer>;

function callerOf({ site = '', user = '', token = '' }: Values, send: Send): Call {
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
  return (method, path, body) =>
    send({
      method,
      url: `${originOf(site)}/rest/servicedeskapi${path}`,
      headers: { ...jsonHeaders, accept: 'application/json', authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

const idIn = (value: unknown): string | undefined => {
  const key = objectOf(value)?.issueKey;
  return typeof key === 'string' && /^[\w-]{1,100}$/.test(key) ? key : undefined;
};

/** Request of an earlier attempt whose answer was lost: Jira has no idempotency keys. */
async function findOpened(call: Call, message: Message): Promise<string | undefined | Outcome> {
  const query = new URLSearchParams({ searchTerm: reference(message), requestOwnership: 'OWNED_REQUESTS', limit: '20' });
  const answer = await call('GET', `/request?${query}`);
  if (!isSuccess(answer)) return failureOf(who, answer);
  const values = jsonOf(answer.text)?.values;
  const isOurs = (value: unknown) =>
    JSON.stringify(objectOf(value)?.requestFieldValues ?? null).includes(`[${reference(message)}]`);
  return Array.isArray(values) ? idIn(values.find(isOurs)) : undefined;
}

async function open(call: Call, { message, attempt }: Delivery, { project = '', type = '' }: Values): Promise<Outcome> {
  const found = attempt > 1 ? await findOpened(call, message) : undefined;
  if (typeof found === 'object') return found;
  if (found !== undefined) return { kind: 'accepted', id: found };
  if (message.stage === 'closed') return { kind: 'refused', words: 'The case was closed before Jira had a request for it.' };
  const fields = { summary: summaryOf(message), description: textOf(message) };
  const answer = await call('POST', '/request', { serviceDeskId: project, requestTypeId: type, requestFieldValues: fields });
  if (!isSuccess(answer)) return failureOf(who, answer);
  const id = idIn(jsonOf(answer.text));
  return id
    ? { kind: 'accepted', id }
    : { kind: 'retry', words: 'Jira didn’t confirm the request: its answer has no issue key.' };
}

/** Comments, and closes the request at the end of the case. A request that is closed already stays so. */
async function follow(call: Call, { message }: Delivery, key: string): Promise<Outcome> {
  const path = `/request/${segment(key)}`;
  const comment = await call('POST', `${path}/comment`, { body: textOf(message), public: true });
  if (comment.status === 404)
    return { kind: 'refused', words: `Jira no longer has the request ${key}, or the account can’t see it.` };
  if (!isSuccess(comment)) return failureOf(who, comment);
  const id = jsonOf(comment.text)?.id;
  const accepted: Outcome = {
    kind: 'accepted',
    id: typeof id === 'string' || typeof id === 'number' ? `${key} comment ${id}` : key,
  };
  if (message.stage !== 'closed') return accepted;
  const listed = await call('GET', `${path}/transition`);
  if (!isSuccess(listed)) return failureOf(who, listed);
  const values = jsonOf(listed.text)?.values;
  const transitions = (Array.isArray(values) ? values : []).map(objectOf);
  const closing = transitions.find((each) => closings.includes(String(each?.name).toLowerCase()));
  if (!closing) return accepted;
  const moved = await call('POST', `${path}/transition`, { id: String(closing.id) });
  return isSuccess(moved) ? accepted : failureOf(who, moved);
}

export const jira: TargetKind = {
  id: 'jira',
  title: 'Jira Service Management',
  capabilities: ['ticket'],
  isForClients: false,
  follows: true,
  documentation: 'https://developer.atlassian.com/cloud/jira/service-desk/rest/api-group-request/',
  fields: [
    {
      name: 'site',
      label: 'Site',
      hint: 'Such as acme.atlassian.net',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter the host name of the site, such as acme.atlassian.net.',
    },
    {
      name: 'project',
      label: 'Service project ID',
      hint: 'A number, from the address of the project’s portal',
      isSecret: false,
      pattern: /^\d{1,10}$/,
      fault: 'A service project ID is a number.',
    },
    {
      name: 'type',
      label: 'Request type ID',
      hint: 'A number. The type must need summary and description only',
      isSecret: false,
      pattern: /^\d{1,10}$/,
      fault: 'A request type ID is a number.',
    },
    {
      name: 'user',
      label: 'Account',
      hint: 'Email address of the account that opens requests',
      isSecret: false,
      pattern: /^[^\s:]{3,200}$/,
      fault: 'Enter the email address of the account.',
    },
    {
      name: 'token',
      label: 'API token',
      hint: 'From id.atlassian.com › Security › API tokens',
      isSecret: true,
      pattern: /^\S{8,500}$/,
      fault: 'Enter the API token of the account.',
    },
  ],
  steps: [
    'In Atlassian create an account for the portal and add it to the service project as an agent or customer.',
    'Sign in as that account, and create an API token under id.atlassian.com › Security › API tokens.',
    'Open the service project’s portal and choose the request type: its address ends with …/portal/PROJECT/create/TYPE.',
    'A case opens a request. Changes of its status become comments, and closing the case resolves the request.',
  ],
  send(delivery, values, send) {
    const call = callerOf(values, send);
    return delivery.openedAs === null ? open(call, delivery, values) : follow(call, delivery, delivery.openedAs);
  },
};
