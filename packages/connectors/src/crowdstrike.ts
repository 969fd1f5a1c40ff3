/**
 * CrowdStrike Falcon: alerts of all products, hosts, and network containment. Source: CrowdStrike's description of the Falcon API as its FalconPy library
 * documents it: `GET /alerts/queries/alerts/v2`, `POST /alerts/entities/alerts/v2`, `GET /devices/queries/devices-scroll/v1`, `POST
 * /devices/entities/devices/v2`, `POST /devices/entities/devices-actions/v2`.
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Account, ActionState, Connector, Http, Values, VendorDevice, VendorEvent } from './connector.ts';
import { RequestError } from './errors.ts';
import { listOf, newestText, readableOf, requestJson } from './requests.ts';
import { createTokens } from './tokens.ts';
import { hostPattern, type Json, objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'CrowdStrike Falcon';
/** Of ids in a query, and of alerts in a request. */
const pageSize = 1_000;
/** Offset and limit together may not exceed 10,000: the reading ends before, and goes on from its newest alert. */
const maxOffset = 9_000;
const devicesPerPage = 1_000;
const maxPages = 3;

export const crowdstrike: Connector = {
  id: 'crowdstrike',
  title: vendor,
  capabilities: ['pull', 'inventory', 'act'],
  actions: ['isolate', 'unisolate'],
  actionStep: 'For responses add the scope Hosts: Write to the API client.',
  documentation: 'https://falconpy.io/Service-Collections/Alerts.html',
  everyMs: 60_000,
  fields: [
    {
      name: 'cid',
      label: 'Customer ID',
      hint: 'CID with or without checksum, from Host setup and management › Sensor downloads',
      isSecret: false,
      pattern: /^[0-9a-f]{32}(?:-[0-9a-f]{2})?$/i,
      fault: 'A customer ID has 32 hexadecimal digits, and optionally a checksum such as “-A1”.',
    },
    {
      name: 'client',
      label: 'Client ID',
      hint: 'Of the API client',
      isSecret: false,
      pattern: /^[0-9a-f]{32}$/i,
      fault: 'A client ID has 32 hexadecimal digits.',
    },
    {
      name: 'secret',
      label: 'Client secret',
      hint: 'Shown once by Falcon when the API client is created',
      isSecret: true,
      pattern: /^\w{20,100}$/,
      fault: 'Enter the secret of the API client, without spaces.',
    },
    {
      name: 'api',
      label: 'API address',
      hint: 'By the cloud of the customer: api.us-2.crowdstrike.com, api.eu-1.crowdstrike.com, api.laggar.gcw.crowdstrike.com',
      initial: 'api.crowdstrike.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as api.eu-1.crowdstrike.com.',
    },
  ],
  steps: [
    'In the Falcon console open Support and resources › API clients and keys and select Create API client. Name it after the portal.',
    'Select the scopes Alerts: Read and Hosts: Read.',
    'Copy the client ID, the secret and the base URL into the form, and the customer ID from Host setup and management › Sensor downloads.',
  ],
  accountOf: ({ cid = '' }) => cid.toLowerCase().slice(0, 32),
  open: openAccount,
};

function openAccount(values: Values, http: Http, clock: Clock): Account {
  const base = originOf(values.api ?? '');
  const { client = '', secret = '' } = values;
  const tokens = createTokens(http, clock, vendor, `${base}/oauth2/token`, async () => ({
    client_id: client,
    client_secret: secret,
  }));
  const reader = createWindowedReader({ maxPages });
  const request = async (path: string, query: Record<string, string>, body?: object): Promise<Json> => {
    const search = new URLSearchParams(query).toString();
    const answer = await tokens.run((token) =>
      requestJson(http, vendor, `${base}${path}${search === '' ? '' : `?${search}`}`, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return objectOf(answer.body) ?? {};
  };
  const idsOf = async (path: string, query: Record<string, string>) => {
    const body = await request(path, query);
    const ids = listOf(vendor, body.resources).filter((id): id is string => typeof id === 'string');
    return { ids, next: textOf(objectOf(objectOf(body.meta)?.pagination)?.offset) };
  };
  const alertsOf = async (ids: readonly string[]) =>
    ids.length === 0
      ? []
      : listOf(vendor, (await request('/alerts/entities/alerts/v2', {}, { composite_ids: ids })).resources).map(eventOf);
  const hostsOf = async (ids: readonly string[]) =>
    ids.length === 0 ? [] : listOf(vendor, (await request('/devices/entities/devices/v2', {}, { ids })).resources).map(objectOf);

  const alerts: Stream = {
    name: 'alerts',
    async read(from, token) {
      const offset = Number(token ?? 0);
      const { ids } = await idsOf('/alerts/queries/alerts/v2', {
        filter: `updated_timestamp:>='${new Date(from).toISOString()}'`,
        sort: 'updated_timestamp|asc',
        limit: String(pageSize),
        offset: String(offset),
      });
      const isLast = ids.length < pageSize || offset + pageSize > maxOffset;
      const events: VendorEvent[] = [];
      for (let at = 0; at < ids.length; at += pageSize) events.push(...(await alertsOf(ids.slice(at, at + pageSize))));
      return { events, next: isLast ? undefined : String(offset + pageSize) };
    },
  };

  return {
    pull: (window, cursor) => reader.pull([alerts], window, cursor),

    async test() {
      return [
        await readableOf('Alerts', async () => {
          const { ids } = await idsOf('/alerts/queries/alerts/v2', { sort: 'updated_timestamp|desc', limit: '1' });
          return newestText(await alertsOf(ids));
        }),
        await readableOf('Devices', async () => {
          const { ids } = await idsOf('/devices/queries/devices-scroll/v1', { limit: '1' });
          return ids.length === 0 ? 'No devices yet.' : 'Devices can be read.';
        }),
      ];
    },

    async devices(page) {
      const query = { limit: String(devicesPerPage), ...(page !== undefined && { offset: page }) };
      const { ids, next } = await idsOf('/devices/queries/devices-scroll/v1', query);
      const hosts = await hostsOf(ids);
      return { devices: hosts.flatMap(deviceOf), next: ids.length === 0 ? undefined : next };
    },

    actions: {
      async verify({ action, target }) {
        const host = (await hostsOf([target])).find((each) => textOf(each?.device_id) === target);
        return host ? stateOf(action === 'isolate', textOf(host.status) ?? '') : unknown(target);
      },
      async act({ action, target }) {
        const name = action === 'isolate' ? 'contain' : 'lift_containment';
        try {
          await request('/devices/entities/devices-actions/v2', { action_name: name }, { ids: [target] });
        } catch (error) {
          // It is contained, or on its way there, already: its state decides.
          if (!(error instanceof RequestError) || error.status !== 409) throw error;
        }
        return '';
      },
    },
  };
}

const unknown = (target: string): ActionState => ({ state: 'unknown', detail: `${vendor} does not list the device ${target}.` });

function stateOf(isIsolation: boolean, status: string): ActionState {
  const detail = `${vendor}: the host’s status is ${status || 'unknown'}.`;
  const [goal, pending] = isIsolation ? ['contained', 'containment_pending'] : ['normal', 'lift_containment_pending'];
  return { state: status === goal ? 'done' : status === pending ? 'pending' : 'open', detail };
}

function eventOf(value: unknown): VendorEvent {
  const alert = objectOf(value);
  const name = textOf(objectOf(alert?.device)?.hostname) ?? textOf(alert?.source_endpoint_host_name);
  return {
    id: textOf(alert?.composite_id),
    raw: JSON.stringify(value),
    at: timeOf(alert?.updated_timestamp),
    isOfDevice: name !== undefined,
  };
}

function deviceOf(host: Json | undefined): VendorDevice[] {
  const [id, name] = [textOf(host?.device_id), textOf(host?.hostname)];
  if (id === undefined || name === undefined) return [];
  const isServer = /server|domain controller/i.test(textOf(host?.product_type_desc) ?? '');
  const os = textOf(host?.os_version) ?? textOf(host?.platform_name) ?? '';
  const [serial, cloudId] = [textOf(host?.serial_number), textOf(host?.instance_id)];
  return [{ id, name, os, isServer, lastSeenAt: timeOf(host?.last_seen), serial, cloudId }];
}
