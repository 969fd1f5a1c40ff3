/** Vulnerabilities, made from the contract. */
import { findingStates, severities } from '@parapet/contract/rules/values.ts';
import { type Finding, vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { field, type ListQuery, listSchema, search, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import type { AdvisoryKind } from './findings.ts';

/** All figures, named as spec §7.6 has them. */
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
});
export const findingsQuery = (client: number, query: ListQuery<typeof findingList>) =>
  queryOptionsOf(vulnerabilitiesApi.list, { params: { client }, query });
/** The first open ones: of all, or of a device. */
export const firstFindingsQuery = (client: number, pageSize: number, device?: string) =>
  queryOptionsOf(vulnerabilitiesApi.list, {
    params: { client },
    query: { severity: [], state: [], pageSize, ...(device ? { device } : {}) },
  });
export const sourcesQuery = () => queryOptionsOf(vulnerabilitiesApi.listAdvisorySources, {});

function useFindingsChanged() {
  const queries = useQueryClient();
  const old = [
    vulnerabilitiesApi.customer,
    vulnerabilitiesApi.devices,
    vulnerabilitiesApi.list,
    vulnerabilitiesApi.clients,
    vulnerabilitiesApi.listAdvisorySources,
  ];
  return () => Promise.all(old.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
}

export function useAccept() {
  const changed = useFindingsChanged();
  return useMutation({
    mutationFn: ({ finding, ...body }: { finding: Finding; isAccepted: boolean; reason?: string; until?: string }) =>
      call(vulnerabilitiesApi.accept, { params: { client: finding.clientOrganizationID, finding: finding.id }, body }),
    onSuccess: (finding, { isAccepted }) => {
      toast.success(
        isAccepted
          ? `${finding.cve} on ${finding.deviceName} is accepted`
          : `${finding.cve} on ${finding.deviceName} is open again`,
        'case',
      );
      return changed();
    },
    onError: (error) => toast.error(`It was not saved. ${error.message}`, 'case'),
  });
}

export function useUploadScan() {
  const changed = useFindingsChanged();
  return useMutation({
    // Browsers name a file's type by guess; both scanners write JSON.
    mutationFn: ({ client, device, file }: { client: number; device: string; file: File }) =>
      call(vulnerabilitiesApi.uploadScan, {
        params: { client, device },
        body: new Blob([file], { type: 'application/json' }) as never,
      }),
    onSuccess: changed,
    onError: (error) => toast.error(`The result could not be taken in. ${error.message}`, 'case'),
  });
}

export function useImportAdvisories() {
  const changed = useFindingsChanged();
  return useMutation({
    mutationFn: ({ kind, file }: { kind: AdvisoryKind; file: File }) =>
      call(vulnerabilitiesApi.importAdvisories, {
        params: { kind },
        body: new Blob([file], { type: typeOf(kind, file.name) }) as never,
      }),
    onSuccess: changed,
    onError: (error) => toast.error(`The file could not be imported. ${error.message}`, 'case'),
  });
}

/** The kind is chosen by its reader; only for OSV there are two ways to write a file. */
const typeOf = (kind: AdvisoryKind, name: string) =>
  kind === 'epss' ? 'text/csv' : /\.(ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'application/json';
