/** Queries and writes of vulnerabilities. */
import { findingStates, severities } from '@parapet/contract/rules/values.ts';
import { type Finding, vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { answerRows, field, type ListQuery, listSchema, search, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import type { AdvisoryKind } from './findings.ts';

/** Requests all figures (spec §7.6). */
const figures = { score: 'true', online: 'true', scanned: 'true', monitored: 'true' };
export const statsQuery = (client: number) => queryOptionsOf(vulnerabilitiesApi.customer, { params: { client }, query: figures });
export const scannedDeviceList = listSchema({ text: search() });
export const scannedDevicesQuery = (client: number, query: ListQuery<typeof scannedDeviceList>) =>
  queryOptionsOf(vulnerabilitiesApi.devices, { params: { client }, query });
export const clientsQuery = () => queryOptionsOf(vulnerabilitiesApi.clients, {});
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Without a state the server lists open findings. */
export const findingList = listSchema({
  text: search(),
  severity: words(severities),
  state: words(findingStates),
  exploited: word(['true', 'false']),
  device: field((text) => (uuid.test(text) ? text.toLowerCase() : undefined)),
  query: answerRows(),
});
export const findingsQuery = (client: number, query: ListQuery<typeof findingList>) =>
  queryOptionsOf(vulnerabilitiesApi.list, { params: { client }, query });
/** Open findings with the highest priority, of all devices or one. */
export const firstFindingsQuery = (client: number, pageSize: number, device?: string) =>
  queryOptionsOf(vulnerabilitiesApi.list, {
    params: { client },
    query: { severity: [], state: [], pageSize, ...(device ? { device } : {}) },
  });
export const sourcesQuery = () => queryOptionsOf(vulnerabilitiesApi.listAdvisorySources, {});

const findingsWrite = {
  invalidates: [
    vulnerabilitiesApi.customer,
    vulnerabilitiesApi.devices,
    vulnerabilitiesApi.list,
    vulnerabilitiesApi.clients,
    vulnerabilitiesApi.listAdvisorySources,
  ],
  topic: 'case',
} as const;

interface Acceptance {
  finding: Finding;
  isAccepted: boolean;
  reason?: string;
  until?: string;
}

export const useAccept = () =>
  useApiMutation(vulnerabilitiesApi.accept, {
    ...findingsWrite,
    input: ({ finding, ...body }: Acceptance) => ({
      params: { client: finding.clientOrganizationID, finding: finding.id },
      body,
    }),
    success: ({ cve, deviceName }, { isAccepted }) => `${cve} on ${deviceName} ${isAccepted ? 'accepted' : 'reopened'}`,
    failure: 'Couldn’t update the finding.',
  });

export const useUploadScan = () =>
  useApiMutation(vulnerabilitiesApi.uploadScan, {
    ...findingsWrite,
    // Both scanners write JSON; the file type reported by browsers is unreliable.
    input: ({ client, device, file }: { client: number; device: string; file: File }) => ({
      params: { client, device },
      body: new Blob([file], { type: 'application/json' }) as never,
    }),
    failure: 'Couldn’t import the scan result.',
  });

export const useImportAdvisories = () =>
  useApiMutation(vulnerabilitiesApi.importAdvisories, {
    ...findingsWrite,
    input: ({ kind, file }: { kind: AdvisoryKind; file: File }) => ({
      params: { kind },
      body: new Blob([file], { type: typeOf(kind, file.name) }) as never,
    }),
    failure: 'Couldn’t import the file.',
  });

/** Media type by the selected kind; OSV files are JSON or NDJSON by extension. */
const typeOf = (kind: AdvisoryKind, name: string) =>
  kind === 'epss' ? 'text/csv' : /\.(ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'application/json';
