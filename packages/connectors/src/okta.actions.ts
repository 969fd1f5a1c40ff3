/**
 * Responses on accounts of Okta. Source: developer.okta.com, "User lifecycle operations" (suspend from ACTIVE, unsuspend from SUSPENDED, reset factors),
 * "Revoke all user sessions", "User factors", "System Log" (`user.session.clear`).
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { ActionRequest, ActionState, Actions, Http } from './connector.ts';
import { stateOrUnknown } from './errors.ts';
import { listOf, requestText } from './requests.ts';
import { objectOf, textOf, timeOf } from './values.ts';

const vendor = 'Okta';
interface User {
  id: string;
  status: string;
}

export function oktaActions(http: Http, clock: Clock, base: string, token: string): Actions {
  const send = async (method: string, path: string): Promise<{ body: unknown; date: string }> => {
    const headers = { accept: 'application/json', 'content-type': 'application/json', authorization: `SSWS ${token}` };
    const { text, headers: answered } = await requestText(http, vendor, `${base}/api/v1/${path}`, { method, headers });
    // Changes return nothing.
    return { body: text.trim() === '' ? undefined : JSON.parse(text), date: answered.get('date') ?? '' };
  };
  const request = async (method: string, path: string) => (await send(method, path)).body;
  const find = async (login: string): Promise<User> => {
    const user = objectOf(await request('GET', `users/${encodeURIComponent(login)}`));
    return { id: textOf(user?.id) ?? '', status: textOf(user?.status) ?? 'unknown' };
  };
  /** Sessions cannot be listed; the log shows that they were cleared. */
  const wereCleared = async ({ id }: User, since: string): Promise<boolean> => {
    const filter = `eventType eq "user.session.clear" and target.id eq "${id}"`;
    const query = new URLSearchParams({ since, filter, limit: '10' });
    return listOf(vendor, await request('GET', `logs?${query}`)).length > 0;
  };

  /** @param since time of the vendor before the action */
  const observe = async ({ action, target, requestedAt }: ActionRequest, since: string | undefined): Promise<ActionState> => {
    const user = await find(target);
    const detail = `${vendor}: the account’s status is ${user.status}.`;
    const isBlocked = user.status === 'SUSPENDED' || user.status === 'DEPROVISIONED';
    switch (action) {
      case 'disableUser':
        return { state: isBlocked ? 'done' : 'open', detail };
      case 'enableUser':
        return { state: isBlocked ? 'open' : 'done', detail };
      case 'revokeSessions': {
        const isDone = since !== undefined && (await wereCleared(user, since));
        return {
          state: isDone ? 'done' : 'open',
          detail: `${vendor}: the log shows ${isDone ? 'that' : 'not yet that'} the sessions were cleared.`,
        };
      }
      default: {
        const factors = listOf(vendor, await request('GET', `users/${user.id}/factors`)).map(objectOf);
        const left = factors.filter((factor) => (timeOf(factor?.created) ?? 0) < requestedAt);
        return { state: left.length === 0 ? 'done' : 'open', detail: `${vendor}: ${left.length} of its factors are left.` };
      }
    }
  };

  return {
    verify: (request, handle) => stateOrUnknown(() => observe(request, handle)),
    async act({ action, target }) {
      const { body, date } = await send('GET', `users/${encodeURIComponent(target)}`);
      const id = textOf(objectOf(body)?.id) ?? '';
      const clearSessions = () => request('DELETE', `users/${id}/sessions?oauthTokens=true`);
      if (action === 'enableUser') await request('POST', `users/${id}/lifecycle/unsuspend`);
      if (action === 'resetFactors') await request('POST', `users/${id}/lifecycle/reset_factors`);
      if (action === 'revokeSessions') await clearSessions();
      if (action === 'disableUser') {
        // First, because a suspended account counts as done; again after it, for sessions begun in between.
        await clearSessions();
        await request('POST', `users/${id}/lifecycle/suspend`);
        await clearSessions();
      }
      return new Date(timeOf(date) ?? clock.now()).toISOString();
    },
  };
}
