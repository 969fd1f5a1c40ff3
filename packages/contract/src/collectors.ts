/** Configurations of collectors: one document a client and kind, kept in versions, downloaded as the complete file for a host. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { count, id, instant, line, organisationId, results } from './primitives.ts';

export const configKinds = ['client', 'auditbeat', 'filebeat', 'packetbeat', 'winlogbeat', 'rsyslog'] as const;
export type ConfigKind = (typeof configKinds)[number];
export const beatKinds = ['auditbeat', 'filebeat', 'packetbeat', 'winlogbeat'] as const;
export type BeatKind = (typeof beatKinds)[number];

/** The address of a Beat's page keeps the specification's spelling. */
export const beatOfRoute = {
  auditbitconfig: 'auditbeat',
  filebeatconfig: 'filebeat',
  packetbeatconfig: 'packetbeat',
  winlogbeatconfig: 'winlogbeat',
} as const;

const problemAt = z.object({
  line: z.number().int().min(1).nullable().describe('Of the YAML text; null when it is about the whole.'),
  path: line.describe('The key, dotted.'),
  text: line.describe('What is wrong and what to write instead.'),
  isError: z.boolean().describe('true: it cannot be saved so; false: a warning.'),
});
export type ConfigProblem = z.infer<typeof problemAt>;

export const collectorConfig = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(configKinds).describe('client, auditbeat, filebeat, packetbeat, winlogbeat or rsyslog.'),
  version: count.describe('0 while nothing was saved: then it is the default.'),
  yaml: z.string().max(200_000).describe('The configuration without the output: that is added when it is downloaded.'),
  comment: line.describe('What was said of this version.'),
  savedBy: line.describe('Who saved it; empty for the default.'),
  savedAt: instant.nullable().describe('When.'),
  problems: z.array(problemAt).max(200).describe('What is wrong with it, or doubtful.'),
});
export type CollectorConfig = z.infer<typeof collectorConfig>;

export const configVersion = z.object({
  version: count.describe('Its number.'),
  comment: line.describe('What was said of it.'),
  savedBy: line.describe('Who saved it.'),
  savedAt: instant.describe('When.'),
  added: count.describe('Lines added against the version before.'),
  removed: count.describe('Lines removed.'),
});
export type ConfigVersion = z.infer<typeof configVersion>;

const where = { client: id.describe('The client.'), kind: z.enum(configKinds).describe('Which collector.') };

export const collectorsApi = {
  get: endpoint({
    id: 'collectors.get',
    method: 'GET',
    path: '/collectorconfig/:client/:kind',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'The configuration of a collector for a client: the newest version, or an older one.',
    params: z.object(where),
    query: z.object({
      version: z.coerce.number().int().min(0).max(2_147_483_647).optional().describe('An older version; 0 is the standard one.'),
    }),
    answer: collectorConfig,
  }),
  listVersions: endpoint({
    id: 'collectors.listVersions',
    method: 'GET',
    path: '/collectorconfig/:client/:kind/versions',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'The versions of a configuration, newest first.',
    params: z.object(where),
    answer: results(configVersion, 1_000),
  }),
  check: endpoint({
    id: 'collectors.check',
    method: 'POST',
    path: '/collectorconfig/:client/:kind/check',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Says what is wrong with a configuration, without saving it.',
    params: z.object(where),
    body: z.object({ yaml: z.string().max(200_000).describe('The configuration.') }),
    answer: z.object({ problems: z.array(problemAt).max(200).describe('What is wrong with it, or doubtful.') }),
  }),
  save: endpoint({
    id: 'collectors.save',
    method: 'PUT',
    path: '/collectorconfig/:client/:kind',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Saves a configuration as its next version. Whoever saved meanwhile is not overwritten (409 with both versions).',
    params: z.object(where),
    body: z.object({
      yaml: z.string().max(200_000).describe('The configuration.'),
      comment: z.string().trim().max(500).default('').describe('What was changed, and why.'),
      version: count.describe('The version that was changed.'),
    }),
    answer: collectorConfig,
  }),
  download: endpoint({
    id: 'collectors.download',
    method: 'POST',
    path: '/collectorconfig/:client/:kind/download',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'The complete file for a host, with the portal’s address and an ingest key made for it.',
    params: z.object(where),
    body: z.object({
      keyName: z.string().trim().min(1).max(200).default('downloaded').describe('The name of the new ingest key.'),
    }),
    answer: z.object({
      fileName: line.describe('As the collector expects it.'),
      text: z.string().max(300_000).describe('The file; the key in it is shown this once.'),
      /** A host fetches the newest version by itself with its key. */
      command: line.describe('One line for the host.'),
      windowsCommand: line.describe('The same for PowerShell; empty where the collector has no Windows.'),
    }),
  }),
};
