/** Queries and writes of connections to vendors. */

import { advisoryFeedsApi, type feedStates } from '@parapet/contract/advisoryFeeds.ts';
import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { type Connection, connectionsApi } from '@parapet/contract/connections.ts';
import { syslogApi } from '@parapet/contract/syslog.ts';
import { vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import { exact } from '../../kit/numbers.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const connectionsQuery = (client: number) => queryOptionsOf(connectionsApi.list, { params: { client } });
export const kindsQuery = queryOptionsOf(connectionsApi.kinds, {});

type Polled = Pick<Connection, 'state'> & Partial<Pick<Connection, 'nextAt'>>;

const refreshMs = 15_000;
/** A new connection receives its first events within seconds, one that is due as well. */
const waitingMs = 2_000;
export const pollIntervalMs = (connections: readonly Polled[] | undefined): number =>
  connections?.some(({ state, nextAt }) => state === 'waiting' || (nextAt && Date.parse(nextAt) <= Date.now()))
    ? waitingMs
    : refreshMs;

const changes = { invalidates: [connectionsApi.list] };

export const useCreateConnection = () =>
  useApiMutation(connectionsApi.create, { ...changes, success: ({ name }) => `${name} was added`, failure: false });
export const useTestConnection = () => useApiMutation(connectionsApi.test, { failure: false });
export const useTestStored = () =>
  useApiMutation(connectionsApi.testStored, {
    ...changes,
    success: ({ results }) => results.map(({ what, detail }) => `${what}: ${detail}`).join(' · '),
    failure: 'The test failed.',
  });
export const usePauseConnection = () =>
  useApiMutation(connectionsApi.pause, {
    ...changes,
    success: (_, { body }) => (body.isPaused ? 'Connection paused' : 'Connection resumed'),
    failure: 'Couldn’t change the connection.',
  });
export const useReadNow = () =>
  useApiMutation(connectionsApi.read, {
    ...changes,
    success: 'Reading now. New events appear within seconds.',
    failure: 'Couldn’t read the connection.',
  });
export const useAllowResponses = () =>
  useApiMutation(connectionsApi.allowResponses, {
    ...changes,
    success: (_, { body }) => (body.mayAct ? 'Responses allowed' : 'Responses no longer allowed'),
    failure: 'Couldn’t change the connection.',
  });
export const useSetIncidentMode = () =>
  useApiMutation(connectionsApi.setIncidentMode, { ...changes, success: 'Incident sync changed', failure: false });
export const useReplaceSecrets = () =>
  useApiMutation(connectionsApi.replaceSecrets, { ...changes, success: 'Secrets replaced', failure: false });
export const useRemoveConnection = () =>
  useApiMutation(connectionsApi.remove, {
    ...changes,
    success: 'Connection removed',
    failure: 'Couldn’t remove the connection.',
  });

export const invitesQuery = (client: number) => queryOptionsOf(connectionInvitesApi.list, { params: { client } });
const inviteChanges = { invalidates: [connectionInvitesApi.list] };
export const useInvite = () =>
  useApiMutation(connectionInvitesApi.create, {
    ...inviteChanges,
    success: ({ email }) => `Link sent to ${email}`,
    failure: false,
  });
export const useRevokeInvite = () =>
  useApiMutation(connectionInvitesApi.revoke, {
    ...inviteChanges,
    success: 'Invitation revoked',
    failure: 'Couldn’t revoke the invitation.',
  });

export const syslogQuery = queryOptionsOf(syslogApi.get, {});
const syslogChanges = { invalidates: [syslogApi.get] };
export const useAddNetwork = () =>
  useApiMutation(syslogApi.addNetwork, { ...syslogChanges, success: ({ network }) => `${network} was listed`, failure: false });
export const useRemoveNetwork = () =>
  useApiMutation(syslogApi.removeNetwork, {
    ...syslogChanges,
    success: 'Network removed',
    failure: 'Couldn’t remove the network.',
  });

export const applicationsQuery = queryOptionsOf(vendorApplicationsApi.list, {});
const applicationChanges = { invalidates: [vendorApplicationsApi.list, connectionInvitesApi.list] };
export const useSaveApplication = () =>
  useApiMutation(vendorApplicationsApi.save, {
    ...applicationChanges,
    success: ({ organisationName }) => `Application of ${organisationName} saved`,
    failure: false,
  });
export const useRemoveApplication = () =>
  useApiMutation(vendorApplicationsApi.remove, {
    ...applicationChanges,
    success: 'Application removed',
    failure: 'Couldn’t remove the application.',
  });

export const feedsQuery = queryOptionsOf(advisoryFeedsApi.list, {});
export const feedsPollMs = (feeds: readonly { state: (typeof feedStates)[number] }[] | undefined): number =>
  pollIntervalMs(feeds);
const feedChanges = { invalidates: [advisoryFeedsApi.list] };
export const useTestFeed = (isToast = true) =>
  useApiMutation(advisoryFeedsApi.test, {
    success: ({ entries, newest }) =>
      isToast ? `${exact(entries)} entries can be read, the newest of ${newest ?? 'no day'}` : undefined,
    failure: isToast && 'The test failed.',
  });
export const useChangeFeed = () =>
  useApiMutation(advisoryFeedsApi.change, {
    ...feedChanges,
    success: (_, { body }) => (body.isOn ? 'Feed is on' : 'Feed paused'),
    failure: 'Couldn’t change the feed.',
  });
