/** The risk score (spec §3, §5, §7.6, §9); the formulas are in rules/risk.ts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, results, startBeforeEnd, timeRange } from './primitives.ts';
import { maxDevices, riskStatuses } from './rules/risk.ts';

const score = z.number().int().min(0).max(1_000);
const deviceCounts = {
  totalServers: count.describe('Servers that the client has.'),
  totalWorkstations: count.describe('Workstations that it has.'),
  monitoredServers: count.describe('Servers that report.'),
  monitoredWorkstations: count.describe('Workstations that report.'),
};

export const monitoredDevices = z.object({
  ...deviceCounts,
  additionalServers: z.number().int().describe('Total minus monitored.'),
  additionalWorkstations: z.number().int().describe('Total minus monitored.'),
  clientOrganizationID: z.number().int().min(0).describe('The client; 0 for all in scope.'),
  updatingUserAccountId: z.number().int().nullable().describe('Who changed the totals last.'),
  version: count.describe('Grows with each change of the totals.'),
});
export type MonitoredDevices = z.infer<typeof monitoredDevices>;

export const caseRiskScore = z.object({
  status: z.enum(riskStatuses).describe('The status; escalated cases stand with those under investigation.'),
  riskScoreSum: z.number().min(0).describe('What its cases weigh together.'),
});
export type CaseRiskScore = z.infer<typeof caseRiskScore>;

export const practice = z.object({
  id: z.string().max(40).describe('Names the practice.'),
  name: line.describe('What is done.'),
  explanation: line.describe('Why, and how one sees that it is done.'),
  nistControlID: line.describe('The NIST SP 800-53 control.'),
  nistControlName: line.describe('Its name.'),
  isChecked: z.boolean().describe('Whether it is done.'),
});
export type Practice = z.infer<typeof practice>;

const client = id.describe('The client.');

export const riskApi = {
  details: endpoint({
    id: 'risk.details',
    method: 'GET',
    path: '/riskScore/riskScoreDetails/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'What the risk score is made of. With All the counts are summed.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: z.object({
      monitoredDevices: monitoredDevices.describe('Devices, known and reporting.'),
      caseRiskScores: z.array(caseRiskScore).max(4).describe('By status.'),
      practices: z.array(practice).max(100).describe('Best practices; with All a practice is done where every client has it.'),
    }),
  }),
  score: endpoint({
    id: 'risk.score',
    method: 'GET',
    path: '/riskscore/:client',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'The risk score of the last daily snapshot, the industry’s average and the score now.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      riskScore: z.number().int().min(0).max(1_000).nullable().describe('Of the newest snapshot; null before the first.'),
      industryAverage: score.describe('Average of the same industry, or the documented default.'),
      tempScore: score.describe('The score from what holds now.'),
      deviceScore: score.describe('Its part of devices.'),
      practiceScore: score.describe('Its part of best practices.'),
      caseScore: score.describe('Its part of cases.'),
      industry: line.describe('The industry; empty where it is not known.'),
      organisations: count.describe('Organisations in the average; 0 where it is the default.'),
    }),
  }),
  history: endpoint({
    id: 'risk.history',
    method: 'GET',
    path: '/riskscore/:client/history/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Daily snapshots of the score and its three parts.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(
      z.object({
        date: z.iso.date().max(10).describe('The day, UTC.'),
        riskScore: score.describe('The score.'),
        deviceScore: score.describe('Its part of devices.'),
        practiceScore: score.describe('Its part of best practices.'),
        caseScore: score.describe('Its part of cases.'),
      }),
      800,
    ),
  }),
  clients: endpoint({
    id: 'risk.clients',
    method: 'GET',
    path: '/riskscore/clients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'The clients in scope by risk score, worst first.',
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        tempScore: score.describe('The score now.'),
        riskScore: z.number().int().min(0).max(1_000).nullable().describe('Of the newest snapshot.'),
        deviceScore: score.describe('Its part of devices.'),
        practiceScore: score.describe('Its part of best practices.'),
        caseScore: score.describe('Its part of cases.'),
        changedAt: instant.nullable().describe('When totals or practices were changed last.'),
      }),
      2_000,
    ),
  }),
  saveDevices: endpoint({
    id: 'risk.saveDevices',
    method: 'PUT',
    path: '/riskscore/:client/devices',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Saves the totals of devices. Below what is monitored they are refused.',
    params: z.object({ client }),
    body: z.object({
      totalServers: z.number().int().min(0).max(maxDevices).describe('Servers that the client has.'),
      totalWorkstations: z.number().int().min(0).max(maxDevices).describe('Workstations that it has.'),
      version: count.describe('The version that was changed.'),
    }),
    answer: monitoredDevices,
  }),
  savePractices: endpoint({
    id: 'risk.savePractices',
    method: 'PUT',
    path: '/riskscore/:client/practices',
    allow: 'risk:write',
    freshness: 'none',
    summary: 'Saves which best practices are done.',
    params: z.object({ client }),
    body: z.object({
      practices: z
        .array(
          z.object({ id: z.string().max(40).describe('The practice.'), isChecked: z.boolean().describe('Whether it is done.') }),
        )
        .min(1)
        .max(100)
        .describe('Those that change.'),
    }),
    answer: results(practice, 100),
  }),
};
