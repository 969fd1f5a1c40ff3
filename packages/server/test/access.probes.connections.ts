/** Probes for connections; see access.probes.ts. Their vendor is an address that is refused. */
import { refusedValues } from './access.objects.ts';
import { object, organisation, type Probe } from './access.probes.kinds.ts';

let number = 0;

const ofConnection = (body?: object): Probe =>
  organisation(({ id, things }) => ({ params: { client: id, connection: things.connectionId }, ...(body && { body }) }));

const mapping = { namespace: 'acme', records: [], fields: [] };
const ofWebhook = (body?: object): Probe =>
  organisation(({ id, things }) => ({ params: { client: id, source: things.webhookId }, ...(body && { body }) }));

export const connectionProbes: Record<string, Probe> = {
  'advisoryFeeds.list': { names: 'self', input: () => ({}) },
  'advisoryFeeds.test': { names: 'self', input: () => ({ params: { kind: 'kev' }, body: { url: 'https://127.0.0.1/' } }) },
  'advisoryFeeds.change': { names: 'self', input: () => ({ params: { kind: 'kev' }, body: { isOn: false, url: '' } }) },
  'connectionInvites.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'connectionInvites.create': organisation(({ id }) => ({
    params: { client: id },
    body: { kind: 'okta', name: 'Okta', email: 'it@test.example' },
  })),
  'connectionInvites.revoke': organisation(({ id, things }) => ({ params: { client: id, invite: things.inviteId } })),
  'imports.list': organisation(({ id }) => ({ params: { client: id } })),
  'imports.create': organisation(({ id }) => ({ params: { client: id }, body: { fileName: 'probe.json', format: 'evtx' } })),
  'imports.upload': organisation(({ id, things }) => ({
    params: { client: id, import: things.importId },
    body: {},
  })),
  'webhookSources.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'webhookSources.preview': organisation(({ id }) => ({ params: { client: id }, body: { sample: '{}', mapping } })),
  'webhookSources.create': organisation(({ id }) => ({
    params: { client: id },
    body: { name: `Probe ${++number}`, authentication: 'header', header: 'authorization', mapping },
  })),
  'webhookSources.saveMapping': ofWebhook({ mapping, version: 7 }),
  'webhookSources.versions': ofWebhook(),
  'webhookSources.pause': ofWebhook({ isPaused: true }),
  'webhookSources.replaceSecret': ofWebhook(),
  'webhookSources.remove': ofWebhook(),
  'syslog.get': { names: 'self', overPartners: true, input: () => ({}) },
  'syslog.addNetwork': {
    names: 'self',
    overPartners: true,
    input: () => ({ body: { client: 1, network: `192.0.2.${++number}` } }),
  },
  'syslog.removeNetwork': { names: 'self', overPartners: true, input: () => ({ params: { network: 1 } }) },
  'vendorApplications.list': { names: 'self', overPartners: true, input: () => ({}) },
  'vendorApplications.save': {
    names: 'self',
    overPartners: true,
    input: () => ({
      params: { organisation: 1 },
      body: {
        clientID: '00000000-0000-4000-8000-000000000001',
        secret: 'y'.repeat(30),
        login: 'login.microsoftonline.com',
      },
    }),
  },
  'vendorApplications.remove': { names: 'self', overPartners: true, input: () => ({ params: { organisation: 1 } }) },
  'connections.kinds': { names: 'self', input: () => ({}) },
  'connections.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'connections.test': organisation(({ id }) => ({ params: { client: id }, body: { kind: 'okta', values: refusedValues } })),
  'connections.create': organisation(({ id }) => ({
    params: { client: id },
    body: { kind: 'okta', name: `Probe ${++number}`, values: refusedValues },
  })),
  'connections.testStored': ofConnection(),
  'connections.pause': ofConnection({ isPaused: true }),
  'connections.read': ofConnection(),
  'connections.allowResponses': ofConnection({ mayAct: false }),
  'connections.setIncidentMode': ofConnection({ incidentMode: 'read' }),
  'connections.caseIncidents': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'connections.replaceSecrets': ofConnection({ values: { token: 'y'.repeat(30) } }),
  'connections.remove': ofConnection(),
};
