/** Vulnerabilities: findings by weakness and device, from the agent’s inventory against advisories and from scanners’ results (spec §3, §7.6: the paths are spelt so). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, listOf, name, organisationId, page, results, severity } from './primitives.ts';
import { deviceTypes, findingStates, scoreCategories } from './rules/values.ts';

const score = z.number().int().min(0).max(100);

export const finding = z.object({
  id: z.number().int().describe('Names the finding.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  deviceUuid: z.uuid().describe('The device.'),
  deviceName: line.describe('Its name.'),
  deviceType: z.enum(deviceTypes).describe('Its type.'),
  cve: line.describe('The CVE, or the advisory’s own id where there is none.'),
  aliases: z.array(line).max(50).describe('Other ids of the same.'),
  title: line.describe('What it is.'),
  package: line.describe('The package.'),
  ecosystem: line.describe('Whose package, such as Debian:12.'),
  installedVersion: line.describe('What is installed.'),
  fixedVersion: line.nullable().describe('Where it is fixed; null when nowhere yet.'),
  severity,
  cvss: z.number().min(0).max(10).nullable().describe('CVSS base score.'),
  epss: z.number().min(0).max(1).nullable().describe('EPSS: chance of exploitation within 30 days.'),
  isKnownExploited: z.boolean().describe('Whether it is on the list of known exploited vulnerabilities.'),
  priority: score.describe('0–100, what to mend first.'),
  reasons: z.array(line).max(10).describe('What makes the priority, in words.'),
  state: z.enum(findingStates).describe('open, accepted or fixed.'),
  source: line.describe('agent, trivy or cyclonedx.'),
  firstSeenAt: instant.describe('When it was seen first.'),
  fixedAt: instant.nullable().describe('When it was gone.'),
  daysToFix: z.number().min(0).nullable().describe('Days between, one decimal.'),
  acceptedUntil: instant.nullable().describe('Until when it is accepted.'),
  acceptedBy: line.describe('By whom; empty when it is not.'),
  acceptReason: line.describe('Why.'),
});
export type Finding = z.infer<typeof finding>;

const client = id.describe('The client.');

export const vulnerabilitiesApi = {
  customer: endpoint({
    id: 'vulnerabilities.customer',
    method: 'GET',
    path: '/vunerability/customer/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Score, online, scanned and monitored devices, and the ten categories. A score of -1: nothing was measured.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      score: z.string().max(20).optional().describe('Accepted; all figures are answered.'),
      online: z.string().max(20).optional().describe('Likewise.'),
      scanned: z.string().max(20).optional().describe('Likewise.'),
      monitored: z.string().max(20).optional().describe('Likewise.'),
    }),
    answer: z.object({
      score: z.number().int().min(-1).max(100).describe('0–100, higher is better; -1 where nothing was measured.'),
      online: count.describe('Devices that report now.'),
      scanned: count.describe('Devices whose packages are known.'),
      monitored: count.describe('Known devices.'),
      categories: z
        .array(
          z.object({
            name: z.enum(scoreCategories).describe('The category.'),
            score: score.nullable().describe('0–100, higher is better; null: not measured.'),
            basis: line.describe('What it is computed from, with the figures; or what is missing.'),
          }),
        )
        .length(10)
        .describe('The ten categories.'),
      open: count.describe('Open findings.'),
      knownExploited: count.describe('Open findings that are known to be exploited.'),
      meanDaysToFix: z.number().min(0).nullable().describe('Of those fixed in the last 90 days.'),
    }),
  }),
  devices: endpoint({
    id: 'vulnerabilities.devices',
    method: 'GET',
    path: '/vunerability/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Devices with their findings, worst first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ ...page, text: z.string().trim().max(200).default('').describe('Part of a device’s name.') }),
    answer: results(
      z.object({
        deviceUuid: z.uuid().describe('The device.'),
        deviceName: line.describe('Its name.'),
        deviceType: z.enum(deviceTypes).describe('Its type.'),
        clientOrganizationID: organisationId.describe('The client.'),
        isOnline: z.boolean().describe('Whether it reports now.'),
        scannedAt: instant.nullable().describe('When its packages were seen last.'),
        critical: count.describe('Open critical findings.'),
        high: count.describe('High ones.'),
        medium: count.describe('Medium ones.'),
        low: count.describe('Low and informational ones.'),
        priority: score.describe('Of its worst finding; 0 without one.'),
      }),
      200,
    ),
  }),
  clients: endpoint({
    id: 'vulnerabilities.clients',
    method: 'GET',
    path: '/vulnerabilities/clients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'The clients in scope by what is open, worst first: known exploited ones, then critical, then high.',
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        open: count.describe('Open findings.'),
        knownExploited: count.describe('Of them known to be exploited.'),
        critical: count.describe('Critical ones.'),
        high: count.describe('High ones.'),
        priority: score.describe('Of its worst finding; 0 without one.'),
        scanned: count.describe('Devices whose packages are known.'),
        monitored: count.describe('Known devices.'),
      }),
      2_000,
    ),
  }),
  list: endpoint({
    id: 'vulnerabilities.list',
    method: 'GET',
    path: '/vulnerabilities/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Findings, those to mend first on top.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Part of a CVE, title, package or device.'),
      severity: listOf(severity).describe('Only these severities.'),
      state: listOf(z.enum(findingStates)).describe('Only these states; open ones by default.'),
      exploited: z.enum(['true', 'false']).optional().describe('Only known exploited ones, or only others.'),
      device: z.uuid().optional().describe('Only of this device.'),
    }),
    answer: results(finding, 200),
  }),
  accept: endpoint({
    id: 'vulnerabilities.accept',
    method: 'POST',
    path: '/vulnerabilities/:client/:finding/accept',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Accepts a finding until a day, with a reason; or ends that.',
    params: z.object({ client, finding: id.describe('The finding.') }),
    body: z.object({
      isAccepted: z.boolean().describe('false ends the acceptance.'),
      reason: z.string().trim().max(1_000).default('').describe('Why it is accepted.'),
      until: instant.optional().describe('Until when; at most a year ahead.'),
    }),
    answer: finding,
  }),
  uploadScan: endpoint({
    id: 'vulnerabilities.uploadScan',
    method: 'POST',
    path: '/vulnerabilities/:client/scan/:device',
    allow: 'risk:write',
    freshness: 'none',
    summary:
      'Takes in a scanner’s result for a device: Trivy JSON or CycloneDX. It replaces the result of the same scanner before.',
    params: z.object({ client, device: z.uuid().describe('The device.') }),
    upload: { types: ['application/json'], maxBytes: 50 * 1024 * 1024 },
    answer: z.object({
      tool: z.enum(['trivy', 'cyclonedx']).describe('What it was.'),
      packages: count.describe('Packages in it.'),
      findings: count.describe('Findings in it.'),
      added: count.describe('Findings that are new.'),
      fixed: count.describe('Findings that are gone.'),
      skipped: z.array(line).max(50).describe('What could not be read, and why.'),
    }),
  }),
  importAdvisories: endpoint({
    id: 'vulnerabilities.importAdvisories',
    method: 'POST',
    path: '/advisories/:kind',
    allow: 'intelligence:write',
    freshness: 'none',
    summary:
      'Takes in advisories (OSV: one, a list, or one a line), EPSS scores (CSV) or the list of known exploited vulnerabilities (JSON).',
    params: z.object({ kind: z.enum(['osv', 'epss', 'kev']).describe('What it is.') }),
    upload: { types: ['application/json', 'application/x-ndjson', 'text/csv'], maxBytes: 200 * 1024 * 1024 },
    answer: z.object({
      imported: count.describe('Entries taken in.'),
      skipped: z.array(line).max(50).describe('What could not be read, and why.'),
      skippedCount: count.describe('How many.'),
    }),
  }),
  listAdvisorySources: endpoint({
    id: 'vulnerabilities.listAdvisorySources',
    method: 'GET',
    path: '/advisories',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'How many advisories, EPSS scores and known exploited vulnerabilities the portal has, and how old they are.',
    answer: results(
      z.object({
        kind: line.describe('An ecosystem of OSV, epss or kev.'),
        count: count.describe('Entries.'),
        newestAt: instant.nullable().describe('The newest entry’s own date.'),
        importedAt: instant.nullable().describe('When they were taken in.'),
      }),
      500,
    ),
  }),
};
