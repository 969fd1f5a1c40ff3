/** Probes for devices, agents, configurations and responses; see access.probes.ts. */
import { object, organisation, overRange, type Probe } from './access.probes.kinds.ts';

const aRule = { action: null, deviceType: null, hours: 'always', approvers: 'nobody' };

export const agentProbes: Record<string, Probe> = {
  'devices.checkIns': overRange,
  'devices.get': organisation(({ id }) => ({ params: { client: id, name: 'host-1' } })),
  'devices.timeline': organisation(({ id }) => ({ params: { client: id, name: 'host-1' } })),
  'devices.agentVersions': organisation(({ id }) => ({ params: { id } }), { takesAll: true }),
  'devices.upgrade': object(({ things }) => ({ body: { devices: [things.deviceId] } })),
  'devices.merge': object(({ things }) => ({ body: { target: things.deviceId, duplicates: [things.otherDeviceId] } })),
  'agents.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'agents.revoke': organisation(({ id, things }) => ({ params: { client: id, agent: things.agentId } })),
  'agents.listTokens': organisation(({ id }) => ({ params: { client: id } })),
  'agents.createToken': organisation(({ id }) => ({ params: { client: id }, body: { name: 'probe' } })),
  'agents.revokeToken': organisation(({ id, things }) => ({ params: { client: id, token: things.enrolmentTokenId } })),
  'agents.listReleases': { names: 'self', input: () => ({}) },
  'agents.addRelease': {
    names: 'self',
    input: () => ({ params: { version: '1.0.0', platform: 'linux-x64' }, query: { signature: 'none' } }),
  },
  'agents.rollout': organisation(({ id }) => ({ params: { client: id }, body: { version: '9.9.9', percent: 1 } })),
  'agents.getRollout': organisation(({ id }) => ({ params: { client: id } })),
  'collectors.get': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' } })),
  'collectors.listVersions': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' } })),
  'collectors.check': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' }, body: { yaml: 'tags: [a]' } })),
  'collectors.save': organisation(({ id }) => ({
    params: { client: id, kind: 'filebeat' },
    body: { yaml: 'tags: [a]', version: 0 },
  })),
  'collectors.download': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' }, body: {} })),
  'responseDesk.list': overRange,
  'responseDesk.get': object(({ things }) => ({ params: { id: things.responseId } })),
  'responseDesk.request': organisation(
    ({ id }) => ({
      body: { clientOrganizationID: id, action: 'isolate', target: 'host-1' },
    }),
    { fresh: { action: 'collectFile', target: '/etc/hosts', deviceName: 'host-1' } },
  ),
  'responseDesk.approve': object(({ things }) => ({ params: { id: things.responseId }, body: { isApproved: true } })),
  'responseDesk.undo': object(({ things }) => ({ params: { id: things.responseId }, body: {} })),
  'responseDesk.getPolicy': { names: 'self', input: () => ({}) },
  'responseDesk.setPolicy': { names: 'self', input: () => ({ body: { isSingleOperator: false } }) },
  'responseDesk.file': object(({ things }) => ({ params: { id: things.collectedId } })),
  'responseDesk.listRules': organisation(({ id }) => ({ params: { client: id } })),
  'responseDesk.addRule': organisation(({ id }) => ({ params: { client: id }, body: aRule })),
  'responseDesk.removeRule': organisation(({ id, things }) => ({ params: { client: id, rule: things.approvalRuleId } })),
  'responseDesk.listProtected': organisation(({ id }) => ({ params: { client: id } })),
  'responseDesk.addProtected': organisation(({ id }) => ({
    params: { client: id },
    body: { kind: 'device', value: 'host-1', reason: 'Probe' },
  })),
  'responseDesk.removeProtected': organisation(({ id, things }) => ({ params: { client: id, asset: things.protectedId } })),
};
