/** Probes for deliveries; see access.probes.ts. Their target is an address that is refused. */

import { object, organisation, type Probe } from './access.probes.kinds.ts';
import { everything } from './deliveries.fixture.ts';

let number = 0;

const ofTarget = (body?: object): Probe =>
  organisation(({ id, things }) => ({ params: { client: id, target: things.targetId }, ...(body && { body }) }));
const ofDelivery = organisation(({ id, things }) => ({
  params: { client: id, target: things.targetId, delivery: things.deliveryId },
}));
const ofOrganisation = organisation(({ id }) => ({ params: { client: id } }), { takesAll: true });

export const ticketSetupBody = {
  setup: { board: '1', type: '', priorities: {}, statuses: {}, back: {}, fields: {} },
  companies: [],
};

export const deliveryProbes: Record<string, Probe> = {
  'deliveries.kinds': { names: 'self', input: () => ({}) },
  'deliveries.targets': ofOrganisation,
  'deliveries.createTarget': organisation(({ id }) => ({
    params: { client: id },
    body: { kind: 'webhook', name: `Probe ${++number}`, values: { url: 'https://127.0.0.1:9/' } },
  })),
  'deliveries.updateTarget': organisation(({ id, things }) => ({
    params: { client: id, target: things.targetId },
    body: { name: `Probe ${++number}`, isPaused: true, quiet: null },
  })),
  'deliveries.replaceSecrets': ofTarget({ values: {} }),
  'deliveries.test': ofTarget(),
  'deliveries.removeTarget': ofTarget(),
  'deliveries.ticketSetup': ofTarget(),
  'deliveries.saveTicketSetup': ofTarget(ticketSetupBody),
  'deliveries.tickets': ofTarget(),
  'deliveries.openCallbacks': ofTarget({ secret: '' }),
  'deliveries.closeCallbacks': ofTarget(),
  'deliveries.syncTickets': ofTarget(),
  'deliveries.caseTickets': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'deliveries.list': ofTarget(),
  'deliveries.get': ofDelivery,
  'deliveries.replay': ofDelivery,
  'deliveries.replayAll': ofTarget(),
  'deliveries.rules': ofOrganisation,
  'deliveries.createRule': organisation(({ id, things }) => ({ params: { client: id }, body: everything(things.targetId) })),
  'deliveries.updateRule': organisation(({ id, things }) => ({
    params: { client: id, rule: things.deliveryRuleId },
    body: everything(things.targetId),
  })),
  'deliveries.removeRule': organisation(({ id, things }) => ({ params: { client: id, rule: things.deliveryRuleId } })),
  'onCall.get': organisation(({ id }) => ({ params: { client: id } })),
  'onCall.saveShifts': organisation(({ id }) => ({ params: { client: id }, body: { zone: 'UTC', shifts: [] } })),
  'onCall.addOverride': organisation(({ id, things }) => ({
    params: { client: id },
    body: { userId: things.userId, place: 1, starts: '2036-01-01T00:00:00.000Z', ends: '2036-01-02T00:00:00.000Z' },
  })),
  'onCall.removeOverride': organisation(({ id, things }) => ({ params: { client: id, override: things.overrideId } })),
  'onCall.addNote': organisation(({ id }) => ({ params: { client: id }, body: { text: 'probe' } })),
  'deliveries.preview': organisation(({ id, things }) => ({ params: { client: id }, body: everything(things.targetId) })),
};
