/**
 * SentinelOne: threats of a site, its agents, and their disconnection from the network. Source: SentinelOne's API reference 2.1 as published clients have
 * it: `GET threats` (`updatedAt__gte`, `cursor`), `GET agents`, `POST agents/actions/disconnect` and `connect`, `networkStatus`.
 */
import type { Account, ActionState, Connector, Http, Values, VendorDevice, VendorEvent } from './connector.ts';
import { RequestError } from './errors.ts';
import { listOf, newestText, readableOf, requestJson } from './requests.ts';
import { hostPattern, type Json, objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'SentinelOne';
/** Maximum of the interface. */
const pageSize = 1_000;
const maxPages = 3;

export const sentinelone: Connector = {
  id: 'sentinelone',
  title: vendor,
  capabilities: ['pull', 'inventory', 'act'],
  actions: ['isolate', 'unisolate'],
  actionStep: 'For responses give the service user a role with Disconnect From Network and Reconnect To Network.',
  documentation: 'https://usea1-partners.sentinelone.net/api-doc/overview',
  everyMs: 60_000,
  fields: [
    {
      name: 'console',
      label: 'Console address',
      hint: 'For example acme.sentinelone.net',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as acme.sentinelone.net.',
    },
    {
      name: 'site',
      label: 'Site ID',
      hint: 'Of the client’s site: a number of 18 or 19 digits',
      isSecret: false,
      pattern: /^\d{15,20}$/,
      fault: 'Enter the number of the site, such as 225494730938493804.',
    },
    {
      name: 'token',
      label: 'API token',
      hint: 'Of a service user, shown once by the console',
      isSecret: true,
      pattern: /^[\w.-]{40,2000}$/,
      fault: 'Enter the API token, without “ApiToken” and spaces.',
    },
  ],
  steps: [
    'In the SentinelOne console open Settings › Users › Service Users and select Actions › Create New Service User. Name it after the portal and set its expiry.',
    'Give it the scope of the client’s site and the role Viewer, then copy the token. It stops working on its expiry date.',
    'Copy the site’s ID from Settings › Sites › Site Info into the form.',
  ],
  accountOf: ({ console: address = '', site = '' }) => `${new URL(originOf(address)).host}, site ${site}`,
  open: openAccount,
};

function openAccount({ console: address = '', site = '', token = '' }: Values, http: Http): Account {
  const reader = createWindowedReader({ maxPages });
  const request = async (path: string, query: Record<string, string>, body?: object): Promise<Json> => {
    const search = new URLSearchParams(query).toString();
    const answer = await requestJson(
      http,
      vendor,
      `${originOf(address)}/web/api/v2.1/${path}${search === '' ? '' : `?${search}`}`,
      {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `ApiToken ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      },
    );
    return objectOf(answer.body) ?? {};
  };
  const list = async (path: string, query: Record<string, string>) => {
    const body = await request(path, { siteIds: site, ...query });
    return { list: listOf(vendor, body.data), next: textOf(objectOf(body.pagination)?.nextCursor) };
  };

  const threats: Stream = {
    name: 'threats',
    async read(from, cursor) {
      const query = {
        updatedAt__gte: new Date(from).toISOString(),
        sortBy: 'updatedAt',
        sortOrder: 'asc',
        limit: String(pageSize),
      };
      const found = await list('threats', { ...query, ...(cursor !== undefined && { cursor }) });
      return { events: found.list.map(eventOf), next: found.next };
    },
  };

  return {
    pull: (window, cursor) => reader.pull([threats], window, cursor),

    async test() {
      const newest = { sortBy: 'updatedAt', sortOrder: 'desc', limit: '1' };
      return [
        await readableOf('Threats', async () => newestText((await list('threats', newest)).list.map(eventOf))),
        await readableOf('Devices', async () =>
          (await list('agents', { limit: '1' })).list.length === 0 ? 'No devices yet.' : 'Devices can be read.',
        ),
      ];
    },

    async devices(page) {
      const found = await list('agents', { limit: String(pageSize), ...(page !== undefined && { cursor: page }) });
      return { devices: found.list.flatMap(deviceOf), next: found.next };
    },

    actions: {
      async verify({ action, target }) {
        const [agent] = (await list('agents', { ids: target })).list.map(objectOf);
        if (!agent) return { state: 'unknown', detail: `${vendor} does not list the agent ${target} in site ${site}.` };
        return stateOf(action === 'isolate', textOf(agent.networkStatus) ?? '');
      },
      async act({ action, target }) {
        const name = action === 'isolate' ? 'disconnect' : 'connect';
        const body = { filter: { ids: [target], siteIds: [site] } };
        const { data } = await request(`agents/actions/${name}`, {}, body);
        if (objectOf(data)?.affected === 0)
          throw new RequestError(
            `${vendor} could not ${name} agent ${target}: no agent was affected. The token may lack the permission.`,
            409,
          );
        return '';
      },
    },
  };
}

function stateOf(isIsolation: boolean, status: string): ActionState {
  const detail = `${vendor}: the agent’s network status is ${status || 'unknown'}.`;
  const [goal, pending] = isIsolation ? ['disconnected', 'disconnecting'] : ['connected', 'connecting'];
  return { state: status === goal ? 'done' : status === pending ? 'pending' : 'open', detail };
}

function eventOf(value: unknown): VendorEvent {
  const threat = objectOf(value);
  const info = objectOf(threat?.threatInfo);
  const name = textOf(objectOf(threat?.agentRealtimeInfo)?.agentComputerName);
  return { id: textOf(threat?.id), raw: JSON.stringify(value), at: timeOf(info?.updatedAt), isOfDevice: name !== undefined };
}

function deviceOf(value: unknown): VendorDevice[] {
  const agent = objectOf(value);
  const [id, name] = [textOf(agent?.id), textOf(agent?.computerName)];
  if (id === undefined || name === undefined || agent?.isDecommissioned === true) return [];
  const os = textOf(agent?.osName) ?? textOf(agent?.osType) ?? '';
  const [isServer, serial] = [textOf(agent?.machineType) === 'server', textOf(agent?.serialNumber)];
  return [{ id, name, os, isServer, lastSeenAt: timeOf(agent?.lastActiveDate), serial }];
}
