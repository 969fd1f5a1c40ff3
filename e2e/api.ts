/** API calls that journeys make outside the browser: sign-in, alert numbers, stored events. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AlertDetail, AlertRow } from '@parapet/contract/alerts.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { EventRow } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { personaOf, personaPassword } from '@parapet/world/personas.ts';

let signIns = 0;
/** Loopback address of the next sign-in: those of one address are limited by the minute. */
const nextAddress = () => `127.0.${1 + (process.pid % 250)}.${1 + (signIns++ % 250)}`;

/** Signs in a new session of the account and returns its bearer token. */
export async function signInAs(url: string, email: string, password: string): Promise<string> {
  const call = request(`${url}/api/v1/auth/authenticate`, {
    method: 'POST',
    ...(new URL(url).hostname === '127.0.0.1' && { localAddress: nextAddress() }),
    headers: { 'content-type': 'application/json' },
  });
  call.end(JSON.stringify({ email, password }));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const { user } = (await json(answer)) as { user?: { accessToken: string } };
  if (!user) throw new Error(`${email} could not sign in: ${answer.statusCode}`);
  return user.accessToken;
}

export const signIn = (url: string, persona: string) => signInAs(url, personaOf(persona).email, personaPassword);

export const send = (url: string, token: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

export async function getJson<T>(url: string, token: string, path: string): Promise<T> {
  const answer = await send(url, token, path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** The given number of past days and the next minute, as two path segments. */
export const lastDays = (days: number) =>
  `${new Date(Date.now() - days * dayMs).toISOString()}/${new Date(Date.now() + 60_000).toISOString()}`;

export async function alertsOf(url: string, token: string, client: number, query = ''): Promise<AlertRow[]> {
  const path = `/alerts/alertList/${client}/${lastDays(360)}?${query}`;
  return (await getJson<{ results: AlertRow[] }>(url, token, path)).results;
}

export const alertOf = (url: string, token: string, id: number) => getJson<AlertDetail>(url, token, `/alerts/${id}`);

/** At most 200 stored events that contain the text. */
export async function eventsWith(url: string, token: string, client: number, text: string): Promise<EventRow[]> {
  const path = `/events/${client}/${lastDays(2)}?pageSize=200&text=${encodeURIComponent(text)}`;
  return (await getJson<{ results: EventRow[] }>(url, token, path)).results;
}

/** Cases since a time, newest first; `client` 0 for all in scope. */
export async function casesOf(url: string, token: string, client: number, since = 0, filters = {}): Promise<CaseRow[]> {
  const start = new Date(since).toISOString();
  const end = new Date(Date.now() + 60_000).toISOString();
  const answer = await send(url, token, '/case/caseList', { selectedClientOrganizationID: client, start, end, filters });
  if (!answer.ok) throw new Error(`/case/caseList: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { results: CaseRow[] }).results;
}
