/** Risk score (spec §3, §5, §7.6, §9); the formulas are in rules/risk.ts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, results, startBeforeEnd, timeRange } from './primitives.ts';
import { maxDevices, riskStatuses } from './rules/risk.ts';

const score = z.number().int().min(0).max(1_000);
const deviceCounts = {
  totalServers: count.describe('Servers of the client.'),
  totalWorkstations: count.describe('Workstations of the client.'),
  monitoredServers: count.describe('Reporting servers.'),
  monitoredWorkstations: count.describe('Reporting workstations.'),
};

export const monitoredDevices = z.object({
  ...deviceCounts,
  additionalServers: z.number().int().describe('Total minus monitored.'),
  additionalWorkstations: z.number().int().describe('Total minus monitored.'),
  clientOrganizationID: z.number().int().min(0).describe('The client; 0 for all in scope.'),
  updatingUserAccountId: z.number().int().nullable().describe('Author of the last change of the totals.'),
  version: count.describe('Version, incremented by each change of the totals.'),
});
export type MonitoredDevices = z.infer<typeof monitoredDevices>;

export const caseRiskScore = z.object({
  status: z.enum(riskStatuses).describe('Status; escalated cases count as under investigation.'),
  riskScoreSum: z.number().min(0).describe('Sum of the case scores.'),
});

export const practice = z.object({
  id: z.string().max(40).describe('Practice ID.'),
  name: line.describe('Practice name.'),
  explanation: line.describe('Reason, and how to verify it.'),
  nistControlID: line.describe('NIST SP 800-53 control.'),
  nistControlName: line.describe('Control name.'),
  isChecked: z.boolean().describe('True when implemented.'),
});
export type Practice = z.infer<typeof practice>;

const client = id.describe('The client.');

export const riskApi = {
  details: endpoint({
    id: 'risk.details',
    route: 'GET /riskScore/riskScoreDetails/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the inputs of the risk score. For All, counts are summed.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: z.object({
      monitoredDevices: monitoredDevices.describe('Known and reporting devices.'),
      caseRiskScores: z.array(caseRiskScore).max(4).describe('Case scores by status.'),
      practices: z.array(practice).max(100).describe('Best practices; for All, true when implemented by every client.'),
    }),
  }),
  score: endpoint({
    id: 'risk.score',
    route: 'GET /riskscore/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the risk score of the last daily snapshot, the industry average and the current score.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      riskScore: z.number().int().min(0).max(1_000).nullable().describe('Score of the newest snapshot; null before the first.'),
      industryAverage: score.describe('Average of the industry, or the documented default.'),
      tempScore: score.describe('Current score.'),
      deviceScore: score.describe('Device component.'),
      practiceScore: score.describe('Practice component.'),
      caseScore: score.describe('Case component.'),
      industry: line.describe('Industry; empty if unknown.'),
      organisations: count.describe('Organisations in the average; 0 for the default.'),
    }),
  }),
  history: endpoint({
    id: 'risk.history',
    route: 'GET /riskscore/:client/history/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Lists daily snapshots of the score and its components.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(
      z.object({
        date: z.iso.date().max(10).describe('Day (UTC).'),
        riskScore: score.describe('Risk score.'),
        deviceScore: score.describe('Device component.'),
        practiceScore: score.describe('Practice component.'),
        caseScore: score.describe('Case component.'),
      }),
      800,
    ),
  }),
  clients: endpoint({
    id: 'risk.clients',
    route: 'GET /riskscore/clients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Lists the clients in scope by risk score, worst first.',
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Organisation name.'),
        tempScore: score.describe('Current score.'),
        riskScore: z.number().int().min(0).max(1_000).nullable().describe('Score of the newest snapshot.'),
        deviceScore: score.describe('Device component.'),
        practiceScore: score.describe('Practice component.'),
        caseScore: score.describe('Case component.'),
        changedAt: instant.nullable().describe('Time of the last change of totals or practices.'),
      }),
      2_000,
    ),
  }),
  saveDevices: endpoint({
    id: 'risk.saveDevices',
    route: 'PUT /riskscore/:client/devices',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Saves the device totals. Totals below the monitored number are refused.',
    params: z.object({ client }),
    body: z.object({
      totalServers: z.number().int().min(0).max(maxDevices).describe('Servers of the client.'),
      totalWorkstations: z.number().int().min(0).max(maxDevices).describe('Workstations of the client.'),
      version: count.describe('Version the change is based on.'),
    }),
    answer: monitoredDevices,
  }),
  savePractices: endpoint({
    id: 'risk.savePractices',
    route: 'PUT /riskscore/:client/practices',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Saves the state of best practices.',
    params: z.object({ client }),
    body: z.object({
      practices: z
        .array(
          z.object({
            id: z.string().max(40).describe('Practice ID.'),
            isChecked: z.boolean().describe('True when implemented.'),
          }),
        )
        .min(1)
        .max(100)
        .describe('Changed practices.'),
    }),
    answer: results(practice, 100),
  }),
};
