/** Alerts: rule matches in events (spec §3, §7.4). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import {
  clientId,
  count,
  id,
  instant,
  line,
  listOf,
  name,
  organisationId,
  page,
  paragraph,
  results,
  severity,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { queryParam } from './query.ts';

export const alertStatuses = ['new', 'seen'] as const;
/** Dispositions of an alert, as in the reconciliation. An alert with grouped repeats has `folded` and one of the others. */
export const alertDispositions = ['shown', 'folded', 'suppressed', 'autoClosed', 'inCase'] as const;
const status = z.enum(alertStatuses).describe('new until marked as seen.');

export const alertRow = z.object({
  id: z.number().int().describe('Alert ID.'),
  clientOrganizationID: organisationId.describe('Organisation ID.'),
  clientOrganizationName: name.describe('Organisation name.'),
  alertSummary: line.describe('Summary in one line.'),
  ruleID: z.string().max(64).describe('Rule ID.'),
  rule: line.describe('Rule title.'),
  category: line.describe('Rule category.'),
  severity,
  criticalityNumber: z.number().int().min(1).max(5).describe('1 Informational … 5 Critical.'),
  deviceName: line.nullable().describe('Affected device.'),
  userName: line.nullable().describe('Affected user.'),
  count: count.describe('Matches for this device and user within the grouping window.'),
  status,
  newAlert: z.boolean().describe('true until marked as seen.'),
  deviceIsolated: z.boolean().describe('True when the device is isolated.'),
  deviceBlocked: z.boolean().describe('True when the device is blocked.'),
  userDisabled: z.boolean().describe('True when the user is blocked.'),
  mitreTechnique: line.nullable().describe('ATT&CK technique ID; the sub-technique if the rule names one.'),
  createdTime: instant.describe('Time of the first event.'),
  lastSeenTime: instant.describe('Time of the newest grouped event.'),
});
export type AlertRow = z.infer<typeof alertRow>;

export const alertSorts = ['createdTime', 'criticality', 'rule', 'deviceName', 'userName', 'count'] as const;
export const alertFilters = {
  severity: listOf(severity).describe('Filter by severity.'),
  rule: listOf(z.string().max(64)).describe('Filter by rule ID.'),
  device: z.string().max(255).optional().describe('Filter by exact device name.'),
  user: z.string().max(255).optional().describe('Filter by exact user name.'),
  category: listOf(z.string().max(100)).describe('Filter by rule category.'),
  technique: listOf(z.string().max(16)).describe(
    'Filter by ATT&CK technique, including sub-techniques; any: rules with a technique, none: rules without one.',
  ),
  status: listOf(status).describe('new, seen, or both.'),
  fate: listOf(z.enum(alertDispositions)).describe(
    'Filter by disposition. shown: in no case and not suppressed; folded: with grouped repeats; suppressed: kept out of cases; autoClosed: in a case closed automatically; inCase: in any other case.',
  ),
  text: z.string().trim().max(200).default('').describe('Substring of the summary, rule, device or user; or an alert ID.'),
  query: queryParam('alert'),
};

const technique = z.object({
  id: z.string().max(16).describe('ATT&CK ID, for example T1059.001.'),
  name: line.describe('Technique name.'),
  tactics: z.array(line).max(14).describe('Tactic names.'),
  url: line.describe('Page at attack.mitre.org.'),
});

export const alertEvent = z.object({
  id: z.string().max(64).describe('Event ID.'),
  at: instant.describe('Event time.'),
  text: line.describe('Summary in one line.'),
  document: z.record(z.string().max(1000), z.unknown()).describe('The stored event.'),
});
export type AlertEvent = z.infer<typeof alertEvent>;

export const ruleConfidences = ['low', 'medium', 'high'] as const;
export type RuleConfidence = (typeof ruleConfidences)[number];
/** Guidance of a rule for its reader; rules without any have none. */
export const ruleGuidance = z.object({
  confidence: z
    .enum(ruleConfidences)
    .nullable()
    .describe('Share of matches that are the attack which the rule names: low, medium or high; null if unrated.'),
  whyItMatters: line.describe('Consequence for the client if it is that attack.'),
  checkFirst: z.array(line).max(10).describe('First steps of the analysis, in order.'),
});
export type RuleGuidance = z.infer<typeof ruleGuidance>;

export const alertDetail = alertRow.extend({
  description: paragraph.describe('Purpose of the rule.'),
  falsePositives: z.array(line).max(50).describe('Known false positives.'),
  guidance: ruleGuidance.nullable().describe('Guidance of the rule; null without any.'),
  references: z.array(line).max(100).describe('References given by the rule’s author.'),
  logSource: line.describe('Log source of the rule: product, category, service.'),
  condition: paragraph.describe('Condition of the rule.'),
  why: z
    .array(
      z.object({
        selection: line.describe('Selection of the condition.'),
        field: line.nullable().describe('Event field; null for a keyword.'),
        modifier: line.describe('Comparison modifier.'),
        pattern: line.describe('Expected pattern.'),
        value: line.describe('Actual value.'),
      }),
    )
    .max(500)
    .describe('Field values that made the rule match.'),
  events: z.array(alertEvent).max(100).describe('Copies of the triggering events, kept as long as the alert.'),
  eventsTotal: count.describe('Number of triggering events; only the first ones are copied.'),
  techniques: z.array(technique).max(50).describe('ATT&CK techniques of the rule.'),
  controls: z
    .array(z.object({ id: z.string().max(16).describe('SP 800-53 control ID.'), name: line.describe('Control name.') }))
    .max(300)
    .describe('NIST SP 800-53 controls that mitigate these techniques.'),
  alsoMatched: z
    .array(
      z.object({
        ruleID: z.string().max(64).describe('Rule ID.'),
        rule: line.describe('Rule title.'),
        criticality: severity.describe('Severity of the rule.'),
      }),
    )
    .max(20)
    .describe(
      'Further rules that the alert’s events matched, worst first; the alert itself is of the worst and most specific rule.',
    ),
  clockSkew: z.enum(['none', 'future', 'past']).describe('Implausible source timestamp: none, future or past.'),
  raisedAt: instant.describe('Time at which the portal raised the alert.'),
  caseID: z.number().int().nullable().describe('Case ID; null if in no case.'),
  suppressedBy: z.number().int().nullable().describe('Suppression that keeps it out of cases; null if none.'),
  related: z
    .object({
      device: z.array(alertRow).max(20).describe('Newest other alerts of the same device.'),
      user: z.array(alertRow).max(20).describe('Newest other alerts of the same user.'),
    })
    .describe('Related alerts.'),
});
export type AlertDetail = z.infer<typeof alertDetail>;

const facet = (value: z.ZodType<string>) =>
  z
    .array(
      z.object({
        value: value.describe('Filter value.'),
        label: line.describe('Display name.'),
        count: count.describe('Alerts in the timeframe.'),
      }),
    )
    .max(500);

const clientAndRange = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));

export const alertsApi = {
  list: endpoint({
    id: 'alerts.list',
    route: 'GET /alerts/alertList/:client/:start/:end',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Lists the alerts of a client in a timeframe, newest first, without their events.',
    params: clientAndRange,
    query: z.object({
      ...page,
      ...alertFilters,
      sort: z.enum(alertSorts).default('createdTime').describe('Sort column.'),
      order: z.enum(['asc', 'desc']).default('desc').describe('Sort order.'),
    }),
    answer: results(alertRow, 200).extend({
      totalIsAtLeast: z.boolean().describe('true when total is a lower bound: filtered counts stop at 10,000.'),
    }),
  }),
  exportList: endpoint({
    id: 'alerts.exportList',
    route: 'GET /alerts/export/:client/:start/:end',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Exports the alerts of a client in a timeframe as CSV, newest first, up to 100,000.',
    params: clientAndRange,
    query: z.object(alertFilters),
    answers: 'file',
    answer: nothing,
  }),
  filters: endpoint({
    id: 'alerts.filters',
    route: 'GET /alertsfilters/:client',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Lists filter values of a client’s alerts, with counts.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      start: instant.optional().describe('Start of the timeframe; defaults to 30 days ago.'),
      end: instant.optional().describe('End of the timeframe, exclusive; defaults to now.'),
    }),
    answer: z.object({
      severity: facet(z.string().max(20)).describe('Counts by severity.'),
      status: facet(z.string().max(20)).describe('Counts by status.'),
      category: facet(z.string().max(100)).describe('Counts by rule category.'),
      rule: facet(z.string().max(64)).describe('Counts by rule, most frequent first.'),
      device: facet(z.string().max(2000)).describe('Counts by device, most frequent first.'),
      user: facet(z.string().max(2000)).describe('Counts by user, most frequent first.'),
    }),
  }),
  ruleNames: endpoint({
    id: 'alerts.ruleNames',
    route: 'GET /alerts/rulenames',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Lists the rules that raised alerts in a timeframe, by title.',
    query: startBeforeEnd(
      z.object({ selectedClientOrganizationId: clientId.describe('The client; 0 for all in scope.'), ...timeRange }),
    ),
    answer: results(
      z.object({
        ruleID: z.string().max(64).describe('Rule ID.'),
        rule: line.describe('Rule title.'),
        count: count.describe('Alerts in the timeframe.'),
      }),
    ),
  }),
  detail: endpoint({
    id: 'alerts.detail',
    route: 'GET /alerts/:alertId',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Returns an alert with its rule, match explanation, events and related alerts.',
    params: z.object({ alertId: id.describe('Alert ID.') }),
    answer: alertDetail,
  }),
  ofEvent: endpoint({
    id: 'alerts.ofEvent',
    route: 'GET /alerts/ofEvent/:client/:event/:at',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'Lists the alerts that keep a copy of an event, newest first, with their cases; those of the seven days before it.',
    params: z.object({
      client: clientId.describe('The client; 0 for all in scope.'),
      // Event IDs are UUIDs without the version of RFC 9562.
      event: z.guid().describe('Event ID.'),
      at: instant.describe('Event time.'),
    }),
    answer: z.object({
      results: z
        .array(alertRow.extend({ caseID: alertDetail.shape.caseID }))
        .max(50)
        .describe('Alerts, at most 50.'),
    }),
  }),
  live: endpoint({
    id: 'alerts.live',
    route: 'GET /alerts/live/:client',
    allow: 'alerts:follow',
    freshness: 'none',
    summary: 'Streams new and repeated alerts of a client as server-sent events; resumable by Last-Event-ID.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ after: clientId.optional().describe('Resume after this event ID.') }),
    answer: alertRow,
    answers: 'events',
  }),
};
