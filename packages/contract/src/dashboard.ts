/** The dashboard: alerts over time, by rule in three views, what is open, what reports, how clients compare. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  clientId,
  count,
  instant,
  line,
  name,
  organisationId,
  paragraph,
  results,
  startBeforeEnd,
  timeRange,
  timeZone,
} from './primitives.ts';
import { deviceTypes } from './rules/values.ts';

const bySeverity = {
  critical: count.describe('Critical alerts.'),
  high: count.describe('High alerts.'),
  medium: count.describe('Medium alerts.'),
  low: count.describe('Low alerts.'),
  informational: count.describe('Informational alerts.'),
};

const of = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));

/** One rule with its alerts of a timeframe; the agile and MITRE views are made of these by `rules/indicators.ts` (spec §3, §5). */
export const attackIndicator = z.object({
  ruleID: z.string().max(64).describe('Names the rule.'),
  rule: line.describe('The rule’s title.'),
  category: line.describe('Its category, such as "Authentication" or "Service interruption".'),
  criticalityNumber: z.number().int().min(1).max(5).describe('1…5 = Informational … Critical.'),
  description: paragraph.describe('What the rule looks for.'),
  count: count.describe('Alerts in the timeframe.'),
  mitreDescription: line.describe('What the technique is; empty where none is named.'),
  mitreCategory: line.describe('The tactic’s name; N/A where none is named.'),
  mitreTechnique: line.describe('The technique’s id and name.'),
  mitreSubcategory: line.describe('The sub-technique’s name; empty where none is named.'),
  logSource: line.describe('What the rule reads, such as "windows · process_creation".'),
});
export type AttackIndicator = z.infer<typeof attackIndicator>;

export const nistAttackIndicator = z.object({
  agileRule: z.union([line, z.array(line).max(2_000)]).describe('The rules; a list when there are several.'),
  description: paragraph.describe('What the technique is.'),
  count: count.describe('Alerts in the timeframe.'),
  mitreCategory: line.describe('The tactic’s name.'),
  mitreTechniqueName: line.describe('The technique’s name; empty where none is named.'),
  mitreTechniqueID: line.describe('Its id.'),
  logSource: line.describe('What the rules read.'),
  nistControlID: line.describe('The control’s id; empty where none answers the technique.'),
  nistControlName: line.describe('Its name.'),
});
export type NistAttackIndicator = z.infer<typeof nistAttackIndicator>;

const top = z.object({
  key: line.describe('The rule’s id, the device or the user.'),
  name: line.describe('What to call it.'),
  count: count.describe('Alerts in the timeframe.'),
  before: count.describe('In the timeframe of the same length before.'),
});

export const dashboardApi = {
  alertsByType: endpoint({
    id: 'dashboard.alertsByType',
    method: 'GET',
    path: '/dashboard/alerts-by-type/:client/:start/:end/false',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Alerts of a timeframe by rule, and by NIST control and technique.',
    params: of,
    answer: z.object({
      attackIndicators: z.array(attackIndicator).max(10_000).describe('By rule, most alerts first.'),
      nistAttackIndicators: z.array(nistAttackIndicator).max(10_000).describe('By control and technique, most alerts first.'),
    }),
  }),
  overview: endpoint({
    id: 'dashboard.overview',
    method: 'GET',
    path: '/dashboard/overview/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Open cases by criticality and age, the busiest rules, devices and users, what reports.',
    params: of,
    answer: z.object({
      openCases: z
        .array(
          z.object({
            criticality: z.number().int().min(1).max(5).describe('1…5 = Informational … Critical.'),
            upTo1Day: count.describe('Opened within a day.'),
            upTo7Days: count.describe('Opened one to seven days ago.'),
            upTo30Days: count.describe('Opened seven to thirty days ago.'),
            older: count.describe('Older still.'),
          }),
        )
        .max(5)
        .describe('Cases that are open now, the most critical first.'),
      topRules: z.array(top).max(10).describe('Rules with the most alerts.'),
      topDevices: z.array(top).max(10).describe('Devices with the most alerts.'),
      topUsers: z.array(top).max(10).describe('Users with the most alerts.'),
      reporting: z
        .array(
          z.object({
            deviceType: z.enum(deviceTypes).describe('The type.'),
            total: count.describe('Known devices.'),
            reporting: count.describe('That report now, as the list of devices says.'),
          }),
        )
        .max(6)
        .describe('Devices by type.'),
    }),
  }),
  clients: endpoint({
    id: 'dashboard.clients',
    method: 'GET',
    path: '/dashboard/clients/:start/:end',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'The clients of the caller’s scope, worst first.',
    params: startBeforeEnd(z.object(timeRange)),
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        openCases: count.describe('Open cases.'),
        malicious: count.describe('Of these, malicious ones.'),
        oldestOpenTime: instant.nullable().describe('When the oldest open one was opened.'),
        alerts: count.describe('Alerts in the timeframe.'),
        before: count.describe('In the timeframe of the same length before.'),
        reporting: count.describe('Devices that report now, as their list says.'),
        devices: count.describe('Known devices.'),
        tempScore: z.number().int().nullable().describe('Its risk score now.'),
        spark: z.array(count).max(31).describe('Alerts by day (UTC) of the last 14 days, oldest first.'),
      }),
      2_000,
    ),
  }),
  alertsOverTime: endpoint({
    id: 'dashboard.alertsOverTime',
    method: 'GET',
    path: '/dashboard/alerts-over-time/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Alerts by day (by month beyond 62 days) and severity, days and months being those of the viewer’s zone.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({ timeZone: timeZone.default('UTC').describe('The viewer’s zone.') }),
    answer: z.object({
      unit: z.enum(['day', 'month']).describe('What one bucket is.'),
      buckets: z
        .array(z.object({ bucket: line.describe('First day of the bucket, YYYY-MM-DD.'), ...bySeverity }))
        .max(400)
        .describe('Every bucket of the timeframe in order, also those without alerts.'),
      total: z.object(bySeverity).describe('The whole timeframe.'),
      before: z.object(bySeverity).describe('The timeframe of the same length before, for comparison.'),
    }),
  }),
};
