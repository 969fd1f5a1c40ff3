/**
 * Microsoft Defender for Endpoint: alerts with their evidence, devices, and isolation by machine actions. Source: learn.microsoft.com, "List alerts API"
 * (`lastUpdateTime`, `$top` up to 10,000, `$skip`), "List machines API", "Isolate machine API", "MachineAction resource type", "OData queries".
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Account, ActionRequest, ActionState, Connector, Http, Values, VendorDevice, VendorEvent } from './connector.ts';
import { RequestError, stateOrUnknown, UnavailableError } from './errors.ts';
import { microsoftConsent, microsoftFields, microsoftSteps, microsoftTokens } from './microsoft.ts';
import { listOf, newestText, readableOf, requestJson } from './requests.ts';
import { type Json, objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'Microsoft Defender for Endpoint';
/** The interface allows 10,000; alerts with evidence are large. */
const pageSize = 1_000;
const machinesPerPage = 1_000;
const maxPages = 3;

export const defender: Connector = {
  id: 'defender',
  title: vendor,
  capabilities: ['pull', 'inventory', 'act'],
  actions: ['isolate', 'unisolate'],
  actionStep: 'For responses add WindowsDefenderATP: Machine.Isolate as well, and grant admin consent again.',
  documentation: 'https://learn.microsoft.com/en-us/defender-endpoint/api/exposed-apis-list',
  everyMs: 60_000,
  fields: microsoftFields('api.securitycenter.microsoft.com', 'api-gov.securitycenter.microsoft.us'),
  consent: microsoftConsent('api.securitycenter.microsoft.com', 'api-gov.securitycenter.microsoft.us', [
    { api: 'WindowsDefenderATP', name: 'Alert.Read.All', opens: 'Alerts with their evidence' },
    { api: 'WindowsDefenderATP', name: 'Machine.Read.All', opens: 'Names and systems of devices' },
  ]),
  steps: microsoftSteps('WindowsDefenderATP (APIs my organization uses): Alert.Read.All and Machine.Read.All'),
  accountOf: ({ tenant = '' }) => tenant.toLowerCase(),
  open: openAccount,
};

function openAccount(values: Values, http: Http, clock: Clock): Account {
  const tokens = microsoftTokens(http, clock, values);
  const reader = createWindowedReader({ maxPages });
  const request = async (path: string, query: Record<string, string> = {}, body?: object): Promise<Json> => {
    const search = new URLSearchParams(query).toString();
    const url = `${originOf(values.api ?? '')}/api/${path}${search === '' ? '' : `?${search}`}`;
    const answer = await tokens.run((token) =>
      requestJson(http, vendor, url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return objectOf(answer.body) ?? {};
  };
  const list = async (path: string, query: Record<string, string>) => listOf(vendor, (await request(path, query)).value);

  const alerts: Stream = {
    name: 'alerts',
    async read(from, token) {
      const skip = Number(token ?? 0);
      const found = await list('alerts', {
        $filter: `lastUpdateTime ge ${new Date(from).toISOString()}`,
        $expand: 'evidence',
        $top: String(pageSize),
        $skip: String(skip),
      });
      return { events: found.map(eventOf), next: found.length < pageSize ? undefined : String(skip + pageSize) };
    },
  };

  return {
    pull: (window, cursor) => reader.pull([alerts], window, cursor),

    async test() {
      return [
        await readableOf('Alerts', async () => newestText((await list('alerts', { $top: '1' })).map(eventOf))),
        await readableOf('Devices', async () => devicesText((await list('machines', { $top: '1' })).length)),
      ];
    },

    async devices(page) {
      const skip = Number(page ?? 0);
      const found = await list('machines', { $top: String(machinesPerPage), $skip: String(skip) });
      return {
        devices: found.flatMap(deviceOf),
        next: found.length < machinesPerPage ? undefined : String(skip + machinesPerPage),
      };
    },

    actions: {
      async verify({ action, target, reference }, handle) {
        if (handle) return stateOf(await request(`machineactions/${encodeURIComponent(handle)}`));
        return stateOrUnknown(async () => {
          const found = await list('machineactions', {
            $filter: `machineId eq '${target.replaceAll("'", "''")}' and type eq '${typeOf(action)}'`,
          });
          const own = found.map(objectOf).find((each) => textOf(each?.requestorComment)?.includes(reference));
          return own ? { ...stateOf(own), handle: textOf(own.id) ?? '' } : { state: 'open', detail: '' };
        });
      },

      async act({ action, target, reference }: ActionRequest) {
        const comment = { Comment: `Requested in the portal (${reference}).`, ExternalId: reference };
        const body = action === 'isolate' ? { ...comment, IsolationType: 'Full' } : comment;
        try {
          return textOf((await request(`machines/${encodeURIComponent(target)}/${action}`, {}, body)).id) ?? '';
        } catch (error) {
          // An earlier action on the machine has to end first.
          if (error instanceof RequestError && error.code === 'ActiveRequestAlreadyInProgress')
            throw new UnavailableError(error.message);
          throw error;
        }
      },
    },
  };
}

const typeOf = (action: string): string => (action === 'isolate' ? 'Isolate' : 'Unisolate');

function stateOf(machineAction: Json): ActionState {
  const status = textOf(machineAction.status) ?? 'Unknown';
  const reason = textOf(machineAction.errorHResult) ?? textOf(machineAction.cancellationComment);
  const detail = `${vendor}: ${textOf(machineAction.type) ?? 'Action'} ${status}${reason ? ` (${reason})` : ''}.`;
  const state = { Pending: 'pending', InProgress: 'pending', Succeeded: 'done' }[status];
  return { state: (state as ActionState['state'] | undefined) ?? 'failed', detail };
}

function eventOf(value: unknown): VendorEvent {
  const alert = objectOf(value);
  return {
    id: textOf(alert?.id),
    raw: JSON.stringify(value),
    at: timeOf(alert?.lastUpdateTime),
    isOfDevice: textOf(alert?.computerDnsName) !== undefined,
  };
}

function deviceOf(value: unknown): VendorDevice[] {
  const machine = objectOf(value);
  const [id, name, os = ''] = [textOf(machine?.id), textOf(machine?.computerDnsName), textOf(machine?.osPlatform)];
  if (id === undefined || name === undefined || machine?.onboardingStatus !== 'Onboarded') return [];
  const [directoryId, cloudId] = [textOf(machine.aadDeviceId), textOf(objectOf(machine.vmMetadata)?.vmId)];
  return [{ id, name, os, isServer: /server/i.test(os), lastSeenAt: timeOf(machine.lastSeen), directoryId, cloudId }];
}

export const devicesText = (count: number): string => (count === 0 ? 'No devices yet.' : 'Devices can be read.');
