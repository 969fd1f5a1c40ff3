/** Queries and writes of the signed-in user’s account. */
import { accountApi } from '@parapet/contract/account.ts';
import { assistantsApi } from '@parapet/contract/assistants.ts';
import { mailSubscriptionsApi, type SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const sessionsQuery = () => queryOptionsOf(accountApi.sessions, {});
export const apiKeysQuery = () => queryOptionsOf(accountApi.apiKeys, {});
export const assistantsQuery = () => queryOptionsOf(assistantsApi.grants, {});
export const mintedQuery = (id: number) => queryOptionsOf(accountApi.mintedByApiKey, { params: { id } });
export const secondFactorQuery = () => queryOptionsOf(secondFactorApi.get, {});
export const ownMailsQuery = () => queryOptionsOf(mailSubscriptionsApi.mine, {});

export const chatAccountsQuery = () => queryOptionsOf(accountApi.chatAccounts, {});

const chatWrite = { invalidates: [accountApi.chatAccounts], invalidatesOnFailure: true };
export const useLinkChat = () =>
  useApiMutation(accountApi.linkChat, { ...chatWrite, success: ({ product }) => `${product} account linked` });
export const useUnlinkChat = () => useApiMutation(accountApi.unlinkChat, { ...chatWrite, success: 'Account unlinked' });

export const browsersQuery = () => queryOptionsOf(accountApi.browsers, {});

const browserWrite = { invalidates: [accountApi.browsers], invalidatesOnFailure: true };
export const useAddBrowser = () =>
  useApiMutation(accountApi.addBrowser, { ...browserWrite, success: 'Notifications turned on in this browser' });
export const useRemoveBrowser = () =>
  useApiMutation(accountApi.removeBrowser, { ...browserWrite, success: 'Notifications turned off' });

/** Refetched after failures too: the list may be outdated. */
const sessionWrite = { invalidates: [accountApi.sessions], invalidatesOnFailure: true };

export const useEndSession = () => useApiMutation(accountApi.endSession, { ...sessionWrite, success: 'Session ended' });

export const useEndOtherSessions = () =>
  useApiMutation(accountApi.endOtherSessions, {
    ...sessionWrite,
    success: ({ ended }) => (ended === 1 ? '1 other session ended' : `${ended} other sessions ended`),
  });

export const useCreateApiKey = () =>
  useApiMutation(accountApi.createApiKey, { invalidates: [accountApi.apiKeys], failure: false });

export const useRevokeApiKey = (name: string) =>
  useApiMutation(accountApi.revokeApiKey, {
    invalidates: [accountApi.apiKeys],
    invalidatesOnFailure: true,
    success: ({ revoked }) => (revoked > 0 ? `${name} and ${revoked} keys created with it revoked` : `Key ${name} revoked`),
  });

export const useRevokeAssistant = () =>
  useApiMutation(assistantsApi.revoke, {
    invalidates: [assistantsApi.grants],
    invalidatesOnFailure: true,
    success: 'Access ended',
  });

const factorWrite = {
  invalidates: [secondFactorApi.get, usersApi.get],
  invalidatesOnFailure: true,
  topic: 'user',
} as const;

export const useStartAuthenticator = () => useApiMutation(secondFactorApi.startAuthenticator, factorWrite);
/** The dialog shows rejected codes at the field. */
export const useConfirmAuthenticator = () =>
  useApiMutation(secondFactorApi.confirmAuthenticator, { ...factorWrite, failure: false });
export const useRenewRecoveryCodes = () => useApiMutation(secondFactorApi.renewRecoveryCodes, factorWrite);
export const useResetOwnMfa = () => useApiMutation(usersApi.resetMfa, { ...factorWrite, success: 'MFA Reset Successfully' });
export const useDisableMfa = () => useApiMutation(secondFactorApi.disable, { ...factorWrite, success: 'MFA turned off' });
export const useStartPasskey = () => useApiMutation(secondFactorApi.startPasskey, { failure: false });
/** The dialog shows what the browser refuses. */
export const useAddPasskey = () =>
  useApiMutation(secondFactorApi.addPasskey, { ...factorWrite, success: 'Passkey added', failure: false });
export const useRemovePasskey = () =>
  useApiMutation(secondFactorApi.removePasskey, { ...factorWrite, success: 'Passkey removed' });

/** Writes run one after the other; each sends the kinds chosen when it is sent. */
export function useChooseOwn() {
  const { queryKey } = ownMailsQuery();
  return useApiMutation(mailSubscriptionsApi.updateMine, {
    scope: mailSubscriptionsApi.updateMine.id,
    input: (_: { kind: SubscriptionKind; isOn: boolean }, queries) => ({
      body: { kinds: queries.getQueryData(queryKey)?.kinds ?? [] },
    }),
    optimistic: async (queries, { kind, isOn }) => {
      const set = (isChosen: boolean) =>
        queries.setQueryData(
          queryKey,
          (old) => old && { ...old, kinds: [...old.kinds.filter((each) => each !== kind), ...(isChosen ? [kind] : [])] },
        );
      await queries.cancelQueries({ queryKey });
      set(isOn);
      return () => set(!isOn);
    },
    failure: 'Couldn’t save your notifications.',
  });
}
