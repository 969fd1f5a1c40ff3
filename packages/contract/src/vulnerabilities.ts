/** Vulnerabilities: findings by device, from agent inventories matched with advisories, and from scanner results (spec §3, §7.6, whose paths are misspelt). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, listOf, name, organisationId, page, results, severity } from './primitives.ts';
import { queryParam } from './query.ts';
import { deviceTypes, findingStates, scoreCategories } from './rules/values.ts';

const score = z.number().int().min(0).max(100);

export const finding = z.object({
  id: z.number().int().describe('Finding ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  deviceUuid: z.uuid().describe('Device UUID.'),
  deviceName: line.describe('Device name.'),
  deviceType: z.enum(deviceTypes).describe('Device type.'),
  cve: line.describe('CVE, or the advisory’s own ID without one.'),
  aliases: z.array(line).max(50).describe('Other IDs of the same vulnerability.'),
  title: line.describe('Title.'),
  package: line.describe('Package name.'),
  ecosystem: line.describe('Ecosystem of the package, for example Debian:12.'),
  installedVersion: line.describe('Installed version.'),
  fixedVersion: line.nullable().describe('Fixed version; null without a fix.'),
  severity,
  cvss: z.number().min(0).max(10).nullable().describe('CVSS base score.'),
  epss: z.number().min(0).max(1).nullable().describe('EPSS: probability of exploitation within 30 days.'),
  epssDay: z.iso.date().max(10).nullable().describe('Day of the EPSS score.'),
  epssReadAt: instant.nullable().describe('Time at which the score was read.'),
  isKnownExploited: z.boolean().describe('True when listed as known exploited.'),
  exploitedDay: z.iso.date().max(10).nullable().describe('Day of the listing as known exploited.'),
  exploitedReadAt: instant.nullable().describe('Time at which the list was read.'),
  isInvented: z.boolean().describe('True where the score or the listing was invented for the demo.'),
  priority: score.describe('Priority, 0 to 100; fix the highest first.'),
  reasons: z.array(line).max(10).describe('Factors of the priority, as text.'),
  state: z.enum(findingStates).describe('open, accepted or fixed.'),
  source: line.describe('agent, trivy or cyclonedx.'),
  firstSeenAt: instant.describe('Time of first sight.'),
  fixedAt: instant.nullable().describe('Time at which it was no longer found.'),
  daysToFix: z.number().min(0).nullable().describe('Days from first sight to the fix, one decimal.'),
  acceptedUntil: instant.nullable().describe('End of the acceptance.'),
  acceptedBy: line.describe('Accepted by; empty without an acceptance.'),
  acceptReason: line.describe('Reason.'),
});
export type Finding = z.infer<typeof finding>;

const client = id.describe('The client.');

export const vulnerabilitiesApi = {
  customer: endpoint({
    id: 'vulnerabilities.customer',
    route: 'GET /vunerability/customer/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary:
      'Returns the score, the online, scanned and monitored devices, and the ten categories. A score of -1 means not measured.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      score: z.string().max(20).optional().describe('Ignored: all figures are returned.'),
      online: z.string().max(20).optional().describe('Ignored.'),
      scanned: z.string().max(20).optional().describe('Ignored.'),
      monitored: z.string().max(20).optional().describe('Ignored.'),
    }),
    answer: z.object({
      score: z.number().int().min(-1).max(100).describe('Score, 0 to 100, higher is better; -1 if not measured.'),
      online: count.describe('Devices reporting now.'),
      scanned: count.describe('Devices with a known package inventory.'),
      monitored: count.describe('Known devices.'),
      categories: z
        .array(
          z.object({
            name: z.enum(scoreCategories).describe('Category name.'),
            score: score.nullable().describe('Score, 0 to 100, higher is better; null if not measured.'),
            basis: line.describe('Inputs of the score with figures, or the missing input.'),
          }),
        )
        .length(10)
        .describe('The ten categories.'),
      open: count.describe('Open findings.'),
      knownExploited: count.describe('Open findings known to be exploited.'),
      meanDaysToFix: z.number().min(0).nullable().describe('Mean days to fix, for findings fixed in the last 90 days.'),
    }),
  }),
  devices: endpoint({
    id: 'vulnerabilities.devices',
    route: 'GET /vunerability/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Lists devices with their findings, worst first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ ...page, text: z.string().trim().max(200).default('').describe('Substring of the device name.') }),
    answer: results(
      z.object({
        deviceUuid: z.uuid().describe('Device UUID.'),
        deviceName: line.describe('Device name.'),
        deviceType: z.enum(deviceTypes).describe('Device type.'),
        clientOrganizationID: organisationId.describe('The client.'),
        isOnline: z.boolean().describe('True when reporting now.'),
        scannedAt: instant.nullable().describe('Time of the newest package inventory.'),
        critical: count.describe('Open critical findings.'),
        high: count.describe('Open high findings.'),
        medium: count.describe('Open medium findings.'),
        low: count.describe('Open low and informational findings.'),
        priority: score.describe('Priority of its worst finding; 0 without one.'),
      }),
      200,
    ),
  }),
  clients: endpoint({
    id: 'vulnerabilities.clients',
    route: 'GET /vulnerabilities/clients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Lists the clients in scope by open findings, worst first: known exploited, then critical, then high.',
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Organisation name.'),
        open: count.describe('Open findings.'),
        knownExploited: count.describe('Open findings known to be exploited.'),
        critical: count.describe('Open critical findings.'),
        high: count.describe('Open high findings.'),
        priority: score.describe('Priority of its worst finding; 0 without one.'),
        scanned: count.describe('Devices with a known package inventory.'),
        monitored: count.describe('Known devices.'),
      }),
      2_000,
    ),
  }),
  list: endpoint({
    id: 'vulnerabilities.list',
    route: 'GET /vulnerabilities/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Lists findings, highest priority first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Substring of a CVE, title, package or device.'),
      severity: listOf(severity).describe('Filter by severity.'),
      state: listOf(z.enum(findingStates)).describe('Filter by state; defaults to open, or to any state with a query.'),
      exploited: z.enum(['true', 'false']).optional().describe('Filter by known exploitation.'),
      device: z.uuid().optional().describe('Filter by device.'),
      query: queryParam('vulnerability'),
    }),
    answer: results(finding, 200),
  }),
  accept: endpoint({
    id: 'vulnerabilities.accept',
    route: 'POST /vulnerabilities/:client/:finding/accept',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Accepts a finding until a date, with a reason, or ends the acceptance.',
    params: z.object({ client, finding: id.describe('Finding ID.') }),
    body: z.object({
      isAccepted: z.boolean().describe('false ends the acceptance.'),
      reason: z.string().trim().max(1_000).default('').describe('Justification.'),
      until: instant.optional().describe('End of the acceptance, at most a year ahead.'),
    }),
    answer: finding,
  }),
  uploadScan: endpoint({
    id: 'vulnerabilities.uploadScan',
    route: 'POST /vulnerabilities/:client/scan/:device',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Imports a scan result of a device (Trivy JSON or CycloneDX), replacing the previous result of the same scanner.',
    params: z.object({ client, device: z.uuid().describe('Device UUID.') }),
    upload: { types: ['application/json'], maxBytes: 50 * 1024 * 1024 },
    answer: z.object({
      tool: z.enum(['trivy', 'cyclonedx']).describe('Detected tool.'),
      packages: count.describe('Number of packages.'),
      findings: count.describe('Number of findings.'),
      added: count.describe('New findings.'),
      fixed: count.describe('Findings no longer present.'),
      skipped: z.array(line).max(50).describe('Skipped entries with reasons.'),
    }),
  }),
  importAdvisories: endpoint({
    id: 'vulnerabilities.importAdvisories',
    route: 'POST /advisories/:kind',
    allow: 'intelligence:write',
    freshness: 'none',
    summary:
      'Imports advisories (OSV: one, a list, or one per line), EPSS scores (CSV) or known exploited vulnerabilities (JSON).',
    params: z.object({ kind: z.enum(['osv', 'epss', 'kev']).describe('Kind of data.') }),
    upload: { types: ['application/json', 'application/x-ndjson', 'text/csv'], maxBytes: 200 * 1024 * 1024 },
    answer: z.object({
      imported: count.describe('Number of imported entries.'),
      skipped: z.array(line).max(50).describe('Skipped entries with reasons.'),
      skippedCount: count.describe('Number of skipped entries.'),
    }),
  }),
  listAdvisorySources: endpoint({
    id: 'vulnerabilities.listAdvisorySources',
    route: 'GET /advisories',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the number and age of advisories, EPSS scores and known exploited vulnerabilities.',
    answer: results(
      z.object({
        kind: line.describe('OSV ecosystem, epss or kev.'),
        count: count.describe('Number of entries.'),
        newestAt: instant.nullable().describe('Date of the newest entry.'),
        importedAt: instant.nullable().describe('Time of the import.'),
        origin: z.enum(['feed', 'file', 'demo']).describe('Read by the portal, imported by a user, or invented for the demo.'),
      }),
      500,
    ),
  }),
};
