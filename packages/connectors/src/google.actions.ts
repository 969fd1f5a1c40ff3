/** Suspension of accounts of Google Workspace, which ends their sessions. Source: Admin SDK Directory API, "Method: users.get" and "users.update". */
import type { Actions, Http } from './connector.ts';
import { stateOrUnknown } from './errors.ts';
import { requestJson } from './requests.ts';
import type { Tokens } from './tokens.ts';
import { objectOf } from './values.ts';

const vendor = 'Google Workspace';

export function googleActions(http: Http, tokensOf: () => Tokens, base: string): Actions {
  const request = async (account: string, init: RequestInit = {}) => {
    const url = `${base}/admin/directory/v1/users/${encodeURIComponent(account)}`;
    const { body } = await tokensOf().run((token) =>
      requestJson(http, vendor, url, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }),
    );
    return objectOf(body);
  };
  return {
    verify: ({ action, target }) =>
      stateOrUnknown(async () => {
        const isSuspended = (await request(target))?.suspended === true;
        const detail = `${vendor}: the account is ${isSuspended ? 'suspended' : 'active'}.`;
        return { state: isSuspended === (action === 'disableUser') ? 'done' : 'open', detail };
      }),
    async act({ action, target }) {
      await request(target, { method: 'PUT', body: JSON.stringify({ suspended: action === 'disableUser' }) });
      return '';
    },
  };
}
