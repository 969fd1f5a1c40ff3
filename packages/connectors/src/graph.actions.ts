/**
 * Responses on accounts of Microsoft Entra. Source: learn.microsoft.com, "Update user" (`accountEnabled`), "user: revokeSignInSessions" (moves
 * `signInSessionsValidFromDateTime`), "List methods" and the deletion of each kind of authentication method.
 */
import type { ActionRequest, ActionState, Actions, Http } from './connector.ts';
import { RequestError, stateOrUnknown } from './errors.ts';
import { listOf, requestText } from './requests.ts';
import type { Tokens } from './tokens.ts';
import { type Json, objectOf, textOf, timeOf } from './values.ts';

const vendor = 'Microsoft Entra';
/** Collection of each kind of method below `authentication`; passwords cannot be deleted. */
const collections: Readonly<Record<string, string>> = {
  microsoftAuthenticatorAuthenticationMethod: 'microsoftAuthenticatorMethods',
  phoneAuthenticationMethod: 'phoneMethods',
  fido2AuthenticationMethod: 'fido2Methods',
  softwareOathAuthenticationMethod: 'softwareOathMethods',
  emailAuthenticationMethod: 'emailMethods',
  windowsHelloForBusinessAuthenticationMethod: 'windowsHelloForBusinessMethods',
  temporaryAccessPassAuthenticationMethod: 'temporaryAccessPassMethods',
  platformCredentialAuthenticationMethod: 'platformCredentialMethods',
};

interface Method {
  id: string;
  collection: string;
  createdAt: number | undefined;
}

export function entraActions(http: Http, tokens: Tokens, base: string): Actions {
  const request = async (method: string, path: string, body?: object): Promise<Json> => {
    const { text } = await tokens.run((token) =>
      requestText(http, vendor, `${base}/v1.0/${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    // Changes return nothing.
    return text.trim() === '' ? {} : (objectOf(JSON.parse(text)) ?? {});
  };
  const pathOf = (account: string) => `users/${encodeURIComponent(account)}`;
  const methodsOf = async (account: string): Promise<Method[]> =>
    listOf(vendor, (await request('GET', `${pathOf(account)}/authentication/methods`)).value).flatMap((value) => {
      const method = objectOf(value);
      const collection = collections[(textOf(method?.['@odata.type']) ?? '').replace('#microsoft.graph.', '')];
      const id = textOf(method?.id);
      return id === undefined || collection === undefined ? [] : [{ id, collection, createdAt: timeOf(method?.createdDateTime) }];
    });

  const readUser = (account: string) => {
    const fields = 'id,userPrincipalName,accountEnabled,signInSessionsValidFromDateTime';
    return request('GET', `${pathOf(account)}?$select=${fields}`);
  };
  const validFrom = (user: Json): number => timeOf(user.signInSessionsValidFromDateTime) ?? 0;

  /** Sessions are revoked once their start has moved on from where it was before the action. */
  const observe = async ({ action, target, requestedAt }: ActionRequest, before: string | undefined): Promise<ActionState> => {
    const user = await readUser(target);
    const isRevoked = before !== undefined && validFrom(user) > Number(before);
    const isDisabled = user.accountEnabled === false;
    const sessions = `sessions valid from ${textOf(user.signInSessionsValidFromDateTime) ?? 'unknown'}`;
    const sentence = (text: string) => `${vendor}: ${text}.`;
    switch (action) {
      case 'disableUser':
        return {
          state: isDisabled && isRevoked ? 'done' : 'open',
          detail: sentence(`account ${isDisabled ? 'disabled' : 'enabled'}, ${sessions}`),
        };
      case 'enableUser':
        return { state: isDisabled ? 'open' : 'done', detail: sentence(`account ${isDisabled ? 'disabled' : 'enabled'}`) };
      case 'revokeSessions':
        return { state: isRevoked ? 'done' : 'open', detail: sentence(sessions) };
      default: {
        const left = (await methodsOf(target)).filter(({ createdAt }) => createdAt === undefined || createdAt < requestedAt);
        return {
          state: left.length === 0 ? 'done' : 'open',
          detail: sentence(`${left.length} of its authentication methods are left`),
        };
      }
    }
  };

  /** The default method can only be deleted last. */
  const deleteMethods = async (account: string): Promise<void> => {
    const deferred: Method[] = [];
    const remove = ({ collection, id }: Method) =>
      request('DELETE', `${pathOf(account)}/authentication/${collection}/${encodeURIComponent(id)}`);
    for (const method of await methodsOf(account)) {
      try {
        await remove(method);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        deferred.push(method);
      }
    }
    for (const method of deferred) await remove(method);
  };

  return {
    verify: (request, handle) => stateOrUnknown(() => observe(request, handle)),
    async act({ action, target }) {
      const before = validFrom(await readUser(target));
      if (action === 'resetFactors') await deleteMethods(target);
      if (action === 'disableUser' || action === 'enableUser')
        await request('PATCH', pathOf(target), { accountEnabled: action === 'enableUser' });
      if (action === 'disableUser' || action === 'revokeSessions')
        await request('POST', `${pathOf(target)}/revokeSignInSessions`, {});
      return String(before);
    },
  };
}
