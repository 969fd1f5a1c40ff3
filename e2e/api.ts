/** The portal's calls, for what a journey needs beside its browser: a sign-in, an alert's number, what is stored. */
import type { AlertDetail, AlertRow } from '@parapet/contract/alerts.ts';
import type { EventRow } from '@parapet/contract/events.ts';
import { personaOf, personaPassword } from '@parapet/world/personas.ts';

/** A session of its own, as its bearer token. */
export async function signIn(url: string, persona: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: personaOf(persona).email, password: personaPassword }),
  });
  if (!answer.ok) throw new Error(`${persona} could not sign in: ${answer.status} ${await answer.text()}`);
  const { user } = (await answer.json()) as { user: { accessToken: string } };
  return user.accessToken;
}

export const send = (url: string, token: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

export async function ask<T>(url: string, token: string, path: string): Promise<T> {
  const answer = await send(url, token, path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const dayMs = 86_400_000;
/** The last so many days and the next minute, as a path's two parts. */
export const lastDays = (days: number) =>
  `${new Date(Date.now() - days * dayMs).toISOString()}/${new Date(Date.now() + 60_000).toISOString()}`;

export async function alertsOf(url: string, token: string, client: number, query = ''): Promise<AlertRow[]> {
  const path = `/alerts/alertList/${client}/${lastDays(360)}?${query}`;
  return (await ask<{ results: AlertRow[] }>(url, token, path)).results;
}

export const alertOf = (url: string, token: string, id: number) => ask<AlertDetail>(url, token, `/alerts/${id}`);

/** Stored events that contain a text; at most 200. */
export async function eventsWith(url: string, token: string, client: number, text: string): Promise<EventRow[]> {
  const path = `/events/${client}/${lastDays(2)}?pageSize=200&text=${encodeURIComponent(text)}`;
  return (await ask<{ results: EventRow[] }>(url, token, path)).results;
}
