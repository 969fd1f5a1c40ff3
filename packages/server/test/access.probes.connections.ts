/** Probes for connections; see access.probes.ts. Their vendor is an address that is refused. */
import { refusedValues } from './access.objects.ts';
import { organisation, type Probe } from './access.probes.kinds.ts';

let number = 0;

const ofConnection = (body?: object): Probe =>
  organisation(({ id, things }) => ({ params: { client: id, connection: things.connectionId }, ...(body && { body }) }));

export const connectionProbes: Record<string, Probe> = {
  'connections.kinds': { names: 'self', input: () => ({}) },
  'connections.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'connections.test': organisation(({ id }) => ({ params: { client: id }, body: { kind: 'okta', values: refusedValues } })),
  'connections.create': organisation(({ id }) => ({
    params: { client: id },
    body: { kind: 'okta', name: `Probe ${++number}`, values: refusedValues },
  })),
  'connections.testStored': ofConnection(),
  'connections.pause': ofConnection({ isPaused: true }),
  'connections.allowResponses': ofConnection({ mayAct: false }),
  'connections.replaceSecrets': ofConnection({ values: { token: 'y'.repeat(30) } }),
  'connections.remove': ofConnection(),
};
