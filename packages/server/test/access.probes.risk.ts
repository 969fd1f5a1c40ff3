/** Probes for the risk score; see access.probes.ts. */
import { organisation, overRange, type Probe } from './access.probes.kinds.ts';

export const riskProbes: Record<string, Probe> = {
  'risk.details': overRange,
  'risk.score': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'risk.history': overRange,
  'risk.clients': { names: 'self', input: () => ({}) },
  'risk.saveDevices': organisation(({ id }) => ({
    params: { client: id },
    body: { totalServers: 50, totalWorkstations: 500, version: 0 },
  })),
  'risk.savePractices': organisation(({ id }) => ({
    params: { client: id },
    body: { practices: [{ id: 'mfa', isChecked: true }] },
  })),
};
