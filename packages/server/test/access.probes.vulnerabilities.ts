/** Probes for vulnerabilities; see access.probes.ts. */
import { organisation, type Probe } from './access.probes.kinds.ts';

const ofClient = organisation(({ id }) => ({ params: { client: id } }), { takesAll: true });

export const vulnerabilityProbes: Record<string, Probe> = {
  'vulnerabilities.customer': ofClient,
  'vulnerabilities.devices': ofClient,
  'vulnerabilities.clients': { names: 'self', input: () => ({}) },
  'vulnerabilities.list': ofClient,
  'vulnerabilities.accept': organisation(({ id, things }) => ({
    params: { client: id, finding: things.findingId },
    body: { isAccepted: true, reason: 'Not reachable', until: new Date(Date.now() + 86_400_000).toISOString() },
  })),
  'vulnerabilities.uploadScan': organisation(({ id, things }) => ({
    params: { client: id, device: things.deviceId },
    body: { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] },
  })),
  'vulnerabilities.importAdvisories': {
    names: 'self',
    input: () => ({ params: { kind: 'osv' }, body: { id: 'CVE-2024-0001', modified: '2026-11-01T00:00:00Z' } }),
  },
  'vulnerabilities.listAdvisorySources': { names: 'self', input: () => ({}) },
};
