/**
 * Microsoft Entra by Microsoft Graph: sign-ins, directory audits and risk detections. Logs that the tenant's licence or the consent leaves out are
 * skipped, as long as one can be read. Source: learn.microsoft.com, "List signIns", "List directoryAudits", "List riskDetections".
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Account, Connector, Http, Readable, Values, VendorEvent, VendorUser } from './connector.ts';
import { RefusedError } from './errors.ts';
import { entraActions } from './graph.actions.ts';
import { microsoftConsent, microsoftFields, microsoftSteps, microsoftTokens } from './microsoft.ts';
import { listOf, newestText, readableOf, requestJson } from './requests.ts';
import { objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'Microsoft Graph';
/** Pages of a pull; the interface gives up to 1,000 events each. */
const maxPages = 3;
/** Sign-ins may take hours to appear. */
const overlapMs = 6 * hourMs;
const overlapEveryMs = 30 * 60_000;
/** A refused log is tried again after this time. */
const refusedMs = hourMs;

interface Log {
  name: string;
  what: string;
  path: string;
  time: string;
  pageSize: number;
}

const logs: readonly Log[] = [
  { name: 'signIns', what: 'Sign-ins', path: 'auditLogs/signIns', time: 'createdDateTime', pageSize: 1_000 },
  { name: 'audits', what: 'Directory audits', path: 'auditLogs/directoryAudits', time: 'activityDateTime', pageSize: 1_000 },
  { name: 'risks', what: 'Risk detections', path: 'identityProtection/riskDetections', time: 'detectedDateTime', pageSize: 500 },
];

export const graph: Connector = {
  id: 'entra',
  title: 'Microsoft Entra ID',
  capabilities: ['pull', 'act'],
  actions: ['disableUser', 'enableUser', 'revokeSessions', 'resetFactors'],
  actionStep:
    'For responses add User.Read.All, User.EnableDisableAccount.All, User.RevokeSessions.All and UserAuthenticationMethod.ReadWrite.All. Accounts with administrator roles also need the role Privileged Authentication Administrator for the application.',
  documentation: 'https://learn.microsoft.com/en-us/graph/api/resources/azure-ad-auditlog-overview',
  everyMs: 60_000,
  fields: microsoftFields('graph.microsoft.com', 'graph.microsoft.us'),
  consent: microsoftConsent('graph.microsoft.com', 'graph.microsoft.us', [
    { api: 'Microsoft Graph', name: 'AuditLog.Read.All', opens: 'Sign-ins, and changes of the directory' },
    { api: 'Microsoft Graph', name: 'IdentityRiskEvent.Read.All', opens: 'Risk detections of Entra ID Protection' },
  ]),
  steps: microsoftSteps(
    'Microsoft Graph: AuditLog.Read.All and, with Entra ID P2, IdentityRiskEvent.Read.All. Sign-ins need Entra ID P1; without it only directory audits are read. Add both',
  ),
  accountOf: ({ tenant = '' }) => tenant.toLowerCase(),
  open: openAccount,
};

function openAccount(values: Values, http: Http, clock: Clock): Account {
  const tokens = microsoftTokens(http, clock, values);
  const reader = createWindowedReader({ maxPages, overlapMs, overlapEveryMs });
  const refusedUntil = new Map<string, number>();
  const get = async (path: string, query: Record<string, string>) => {
    const url = `${originOf(values.api ?? '')}/v1.0/${path}?${new URLSearchParams(query)}`;
    const { body } = await tokens.run((token) =>
      requestJson(http, vendor, url, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }),
    );
    const answer = objectOf(body);
    return { list: listOf(vendor, answer?.value), next: skipTokenIn(answer?.['@odata.nextLink']) };
  };

  const streamOf = ({ name, path, time, pageSize }: Log): Stream => ({
    name,
    async read(from, token) {
      const query = {
        $filter: `${time} ge ${new Date(from).toISOString()}`,
        $orderby: `${time} asc`,
        $top: String(pageSize),
        ...(token !== undefined && { $skiptoken: token }),
      };
      const { list, next } = await get(path, query);
      return { events: list.map((value) => eventOf(value, time)), next };
    },
  });

  /** The stream, or none of its events while it is refused. */
  const withRefusals = (stream: Stream, onRefused: (error: RefusedError) => void): Stream => ({
    ...stream,
    async read(from, token) {
      try {
        return await stream.read(from, token);
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        onRefused(error);
        return { events: [], next: undefined };
      }
    },
  });

  return {
    async users(page) {
      const { list, next } = await get('users', {
        $select: 'id,userPrincipalName,userType,assignedPlans',
        $filter: 'accountEnabled eq true',
        $top: '999',
        ...(page !== undefined && { $skiptoken: page }),
      });
      return { users: list.flatMap(userOf), next };
    },

    actions: entraActions(http, tokens, originOf(values.api ?? '')),

    async pull(window, cursor) {
      const readable = logs.filter(({ name }) => (refusedUntil.get(name) ?? 0) < window.to);
      const refusals: RefusedError[] = [];
      const streams = readable.map((log) =>
        withRefusals(streamOf(log), (error) => {
          refusals.push(error);
          refusedUntil.set(log.name, window.to + refusedMs);
        }),
      );
      const pulled = await reader.pull(streams, window, cursor);
      if (refusals[0] && refusedUntil.size === logs.length && refusals.length === readable.length) {
        refusedUntil.clear();
        throw refusals[0];
      }
      return pulled;
    },

    async test() {
      const results: Readable[] = [];
      for (const { what, path, time } of logs)
        results.push(
          await readableOf(what, async () =>
            newestText((await get(path, { $top: '1' })).list.map((value) => eventOf(value, time))),
          ),
        );
      return results;
    },
  };
}

/** Guests belong to another tenant. A mailbox comes with an enabled plan of Exchange. */
function userOf(value: unknown): VendorUser[] {
  const user = objectOf(value);
  const [id, name] = [textOf(user?.id), textOf(user?.userPrincipalName)];
  if (id === undefined || name === undefined || user?.userType === 'Guest') return [];
  const plans = Array.isArray(user?.assignedPlans) ? user.assignedPlans.map(objectOf) : [];
  const hasMailbox = plans.some((plan) => plan?.service === 'exchange' && plan.capabilityStatus === 'Enabled');
  return [{ id, name, hasMailbox }];
}

/** Token of the next page; only the token is taken, because a link may lead anywhere. */
const skipTokenIn = (link: unknown): string | undefined =>
  typeof link === 'string' && URL.canParse(link) ? (new URL(link).searchParams.get('$skiptoken') ?? undefined) : undefined;

function eventOf(value: unknown, time: string): VendorEvent {
  const record = objectOf(value);
  return { id: textOf(record?.id), raw: JSON.stringify(value), at: timeOf(record?.[time]) };
}
