/** Dashboard: alerts over time and by rule, open cases, reporting devices, and clients. */
import { z } from 'zod';
import { responseActions } from './caseDetail.ts';
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

/** Alerts of one rule in a timeframe; `rules/indicators.ts` derives the agile and MITRE views from them (spec §3, §5). */
export const attackIndicator = z.object({
  ruleID: z.string().max(64).describe('Rule ID.'),
  rule: line.describe('Rule title.'),
  category: line.describe('Category, for example "Authentication" or "Service interruption".'),
  criticalityNumber: z.number().int().min(1).max(5).describe('1…5 = Informational … Critical.'),
  description: paragraph.describe('Purpose of the rule.'),
  count: count.describe('Alerts in the timeframe.'),
  mitreDescription: line.describe('Description of the technique; empty without one.'),
  mitreCategory: line.describe('Tactic name; N/A without one.'),
  mitreTechnique: line.describe('Technique ID and name.'),
  mitreSubcategory: line.describe('Sub-technique name; empty without one.'),
  logSource: line.describe('Log source of the rule, for example "windows · process_creation".'),
});
export type AttackIndicator = z.infer<typeof attackIndicator>;

export const nistAttackIndicator = z.object({
  agileRule: z.union([line, z.array(line).max(2_000)]).describe('Rule titles; a list for several.'),
  description: paragraph.describe('Description of the technique.'),
  count: count.describe('Alerts in the timeframe.'),
  mitreCategory: line.describe('Tactic name.'),
  mitreTechniqueName: line.describe('Technique name; empty without one.'),
  mitreTechniqueID: line.describe('Technique ID.'),
  logSource: line.describe('Log sources of the rules.'),
  nistControlID: line.describe('Control ID; empty when no control mitigates the technique.'),
  nistControlName: line.describe('Control name.'),
});
export type NistAttackIndicator = z.infer<typeof nistAttackIndicator>;

const top = z.object({
  key: line.describe('Rule ID, device or user.'),
  name: line.describe('Display name.'),
  count: count.describe('Alerts in the timeframe.'),
  before: count.describe('Number in the preceding timeframe of the same length.'),
});

const summaryCase = z.object({
  id: z.number().int().describe('Case ID.'),
  title: line.describe('Title.'),
  openedTime: instant.describe('Opening time.'),
});

/** Facts of a client’s summary in plain words. Without names of analysts, SLA timers and internal texts. */
const summary = z.object({
  alerts: count.describe('Alerts in the timeframe.'),
  opened: count.describe('Cases opened in the timeframe.'),
  resolved: count.describe('Of these, closed by now.'),
  actions: count.describe('Responses requested in the timeframe that are executed and not undone.'),
  open: count.describe('Open cases, regardless of the timeframe.'),
  reporting: count.describe('Devices reporting now.'),
  devices: count.describe('Known devices.'),
  approvals: count.describe('Responses that wait for approval; 0 for callers who may not approve.'),
  incidents: z.array(summaryCase).max(5).describe('Open cases found malicious, most critical first; at most 5.'),
  incidentTotal: count.describe('Open cases found malicious.'),
  suspectedTotal: count.describe('Open cases judged malicious by decisioning and not confirmed by an analyst.'),
  questions: z
    .array(
      summaryCase.extend({
        askedTime: instant.describe('Since when the case waits for the client.'),
        untilTime: instant.nullable().describe('End of the wait.'),
      }),
    )
    .max(10)
    .describe('Open cases that wait for the client, oldest question first; at most 10.'),
  questionTotal: count.describe('Open cases that wait for the client.'),
  blind: z
    .array(
      z.object({
        name: line.describe('Device name.'),
        deviceType: z.enum(deviceTypes).describe('Device type.'),
        lastEventTime: instant.nullable().describe('Time of its last event; null without one.'),
      }),
    )
    .max(10)
    .describe('Known devices that do not report, servers first; at most 10.'),
  story: z
    .array(
      summaryCase.extend({
        closedTime: instant.nullable().describe('Closing time; null while open.'),
        isMalicious: z.boolean().describe('True if found malicious by an analyst.'),
        isHarmless: z.boolean().describe('True if closed as benign or as a false positive.'),
        isWaiting: z.boolean().describe('True while it waits for the client.'),
        devices: z.array(line).max(3).describe('Devices, at most 3.'),
        deviceTotal: count.describe('Number of devices.'),
        users: z.array(line).max(3).describe('Users, at most 3.'),
        userTotal: count.describe('Number of users.'),
        actions: z
          .array(
            z.object({
              action: z.enum(responseActions).describe('Action.'),
              target: line.describe('Device, user, address or file.'),
              isVerified: z.boolean().describe('True if its effect was observed.'),
            }),
          )
          .max(4)
          .describe('Executed responses of the case, at most 4.'),
      }),
    )
    .max(8)
    .describe('The most important cases opened in the timeframe, at most 8, in order of time.'),
});
export type ClientSummary = z.infer<typeof summary>;

export const dashboardApi = {
  summary: endpoint({
    id: 'dashboard.summary',
    route: 'GET /dashboard/summary/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the facts of a client’s summary: open incidents, what was done, and what waits for the client.',
    params: of,
    answer: summary,
  }),
  alertsByType: endpoint({
    id: 'dashboard.alertsByType',
    route: 'GET /dashboard/alerts-by-type/:client/:start/:end/false',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Lists the alerts of a timeframe by rule, and by NIST control and technique.',
    params: of,
    answer: z.object({
      attackIndicators: z.array(attackIndicator).max(10_000).describe('Counts by rule, most alerts first.'),
      nistAttackIndicators: z
        .array(nistAttackIndicator)
        .max(10_000)
        .describe('Counts by control and technique, most alerts first.'),
    }),
  }),
  overview: endpoint({
    id: 'dashboard.overview',
    route: 'GET /dashboard/overview/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns open cases by criticality and age, top rules, devices and users, and reporting devices.',
    params: of,
    answer: z.object({
      openCases: z
        .array(
          z.object({
            criticality: z.number().int().min(1).max(5).describe('1…5 = Informational … Critical.'),
            upTo1Day: count.describe('Opened within the last day.'),
            upTo7Days: count.describe('Opened 1 to 7 days ago.'),
            upTo30Days: count.describe('Opened 7 to 30 days ago.'),
            older: count.describe('Opened more than 30 days ago.'),
          }),
        )
        .max(5)
        .describe('Open cases, most critical first.'),
      topRules: z.array(top).max(10).describe('Rules with the most alerts.'),
      topDevices: z.array(top).max(10).describe('Devices with the most alerts.'),
      topUsers: z.array(top).max(10).describe('Users with the most alerts.'),
      reporting: z
        .array(
          z.object({
            deviceType: z.enum(deviceTypes).describe('Device type.'),
            total: count.describe('Known devices.'),
            reporting: count.describe('Devices reporting now.'),
          }),
        )
        .max(6)
        .describe('Reporting devices by type.'),
    }),
  }),
  clients: endpoint({
    id: 'dashboard.clients',
    route: 'GET /dashboard/clients/:start/:end',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Lists the clients in scope, highest risk first.',
    params: startBeforeEnd(z.object(timeRange)),
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Organisation name.'),
        openCases: count.describe('Open cases.'),
        malicious: count.describe('Open malicious cases.'),
        oldestOpenTime: instant.nullable().describe('Opening time of the oldest open case.'),
        alerts: count.describe('Alerts in the timeframe.'),
        before: count.describe('Number in the preceding timeframe of the same length.'),
        reporting: count.describe('Devices reporting now.'),
        devices: count.describe('Known devices.'),
        tempScore: z.number().int().nullable().describe('Current risk score.'),
        spark: z.array(count).max(31).describe('Alerts per day (UTC) of the last 14 days, oldest first.'),
      }),
      2_000,
    ),
  }),
  alertsOverTime: endpoint({
    id: 'dashboard.alertsOverTime',
    route: 'GET /dashboard/alerts-over-time/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns alerts by severity and day (month beyond 62 days) in the viewer’s time zone.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({ timeZone: timeZone.default('UTC').describe('Time zone of the viewer.') }),
    answer: z.object({
      unit: z.enum(['day', 'month']).describe('Bucket size.'),
      buckets: z
        .array(z.object({ bucket: line.describe('First day of the bucket, YYYY-MM-DD.'), ...bySeverity }))
        .max(400)
        .describe('All buckets of the timeframe in order, including empty ones.'),
      total: z.object(bySeverity).describe('Totals of the timeframe.'),
      before: z.object(bySeverity).describe('Totals of the preceding timeframe of the same length.'),
    }),
  }),
};
