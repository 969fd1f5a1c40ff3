/** Collector configurations: one versioned document per client and kind, downloaded as the complete file for a host. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { count, id, instant, line, organisationId, results } from './primitives.ts';

export const configKinds = ['client', 'auditbeat', 'filebeat', 'packetbeat', 'winlogbeat', 'rsyslog'] as const;
export type ConfigKind = (typeof configKinds)[number];
export const beatKinds = ['auditbeat', 'filebeat', 'packetbeat', 'winlogbeat'] as const;
export type BeatKind = (typeof beatKinds)[number];

const problemAt = z.object({
  line: z.number().int().min(1).nullable().describe('Line of the YAML text; null for the whole document.'),
  path: line.describe('Key path, dotted.'),
  text: line.describe('Problem and correction.'),
  isError: z.boolean().describe('true: prevents saving; false: a warning.'),
});
export type ConfigProblem = z.infer<typeof problemAt>;

export const collectorConfig = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(configKinds).describe('client, auditbeat, filebeat, packetbeat, winlogbeat or rsyslog.'),
  version: count.describe('Version; 0 for the default when nothing is saved.'),
  yaml: z.string().max(200_000).describe('Configuration without the output section, which is added on download.'),
  comment: line.describe('Comment on this version.'),
  savedBy: line.describe('Author; empty for the default.'),
  savedAt: instant.nullable().describe('Time of saving; null for the default.'),
  problems: z.array(problemAt).max(200).describe('Validation errors and warnings.'),
});
export type CollectorConfig = z.infer<typeof collectorConfig>;

export const configVersion = z.object({
  version: count.describe('Version number.'),
  comment: line.describe('Comment on this version.'),
  savedBy: line.describe('Author.'),
  savedAt: instant.describe('Time of saving.'),
  added: count.describe('Lines added since the previous version.'),
  removed: count.describe('Lines removed since the previous version.'),
});

const where = { client: id.describe('The client.'), kind: z.enum(configKinds).describe('Collector kind.') };

export const collectorsApi = {
  get: endpoint({
    id: 'collectors.get',
    route: 'GET /collectorconfig/:client/:kind',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Returns a collector configuration of a client: the newest version, or an older one.',
    params: z.object(where),
    query: z.object({
      version: z.coerce.number().int().min(0).max(2_147_483_647).optional().describe('Version to return; 0 for the default.'),
    }),
    answer: collectorConfig,
  }),
  listVersions: endpoint({
    id: 'collectors.listVersions',
    route: 'GET /collectorconfig/:client/:kind/versions',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Lists the versions of a configuration, newest first.',
    params: z.object(where),
    answer: results(configVersion, 1_000),
  }),
  check: endpoint({
    id: 'collectors.check',
    route: 'POST /collectorconfig/:client/:kind/check',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Validates a configuration without saving it.',
    params: z.object(where),
    body: z.object({ yaml: z.string().max(200_000).describe('Configuration.') }),
    answer: z.object({ problems: z.array(problemAt).max(200).describe('Validation errors and warnings.') }),
  }),
  save: endpoint({
    id: 'collectors.save',
    route: 'PUT /collectorconfig/:client/:kind',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Saves a configuration as a new version. A concurrent save returns 409 with both versions.',
    params: z.object(where),
    body: z.object({
      yaml: z.string().max(200_000).describe('Configuration.'),
      comment: z.string().trim().max(500).default('').describe('Description of the change.'),
      version: count.describe('Version the change is based on.'),
    }),
    answer: collectorConfig,
  }),
  download: endpoint({
    id: 'collectors.download',
    route: 'POST /collectorconfig/:client/:kind/download',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Generates the complete configuration file for a host, with the portal’s address and a new ingest key.',
    params: z.object(where),
    body: z.object({
      keyName: z.string().trim().min(1).max(200).default('downloaded').describe('Name of the new ingest key.'),
    }),
    answer: z.object({
      fileName: line.describe('File name expected by the collector.'),
      text: z.string().max(300_000).describe('The file; its key is shown once.'),
      /** Lets a host fetch the newest version with its key. */
      command: line.describe('Shell command for the host.'),
      windowsCommand: line.describe('PowerShell command; empty for collectors without Windows support.'),
    }),
  }),
};
