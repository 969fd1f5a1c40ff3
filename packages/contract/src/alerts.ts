/** Alerts: what a rule found in events (spec §3, §7.4). */
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

export const alertStatuses = ['new', 'seen'] as const;
/** What became of an alert, in the words of the balance sheet. An alert that repeats folded into has another of these besides. */
export const alertFates = ['shown', 'folded', 'suppressed', 'autoClosed', 'inCase'] as const;
const status = z.enum(alertStatuses).describe('new until somebody marked it as seen.');

export const alertRow = z.object({
  id: z.number().int().describe('Names the alert.'),
  clientOrganizationID: organisationId.describe('The organisation it concerns.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  alertSummary: line.describe('What happened, in one line.'),
  ruleID: z.string().max(64).describe('The rule’s id.'),
  rule: line.describe('The rule’s title.'),
  category: line.describe('The rule’s category.'),
  severity,
  criticalityNumber: z.number().int().min(1).max(5).describe('1 Informational … 5 Critical.'),
  deviceName: line.nullable().describe('The device it concerns.'),
  userName: line.nullable().describe('The user it concerns.'),
  count: count.describe('How many times the rule fired for this device and user within the folding window.'),
  status,
  newAlert: z.boolean().describe('true until somebody marked it as seen.'),
  deviceIsolated: z.boolean().describe('Whether the device is isolated.'),
  deviceBlocked: z.boolean().describe('Whether the device is blocked.'),
  userDisabled: z.boolean().describe('Whether the user is blocked.'),
  mitreTechnique: line.nullable().describe('ATT&CK technique, its id; the sub-technique where the rule names one.'),
  createdTime: instant.describe('When it happened: the first event’s time.'),
  lastSeenTime: instant.describe('When the newest event that folded into it happened.'),
});
export type AlertRow = z.infer<typeof alertRow>;

export const alertSorts = ['createdTime', 'criticality', 'rule', 'deviceName', 'userName', 'count'] as const;
export const alertFilters = {
  severity: listOf(severity).describe('Only these severities.'),
  rule: listOf(z.string().max(64)).describe('Only these rules, by id.'),
  device: z.string().max(255).optional().describe('Only this device, its whole name.'),
  user: z.string().max(255).optional().describe('Only this user, the whole name.'),
  category: listOf(z.string().max(100)).describe('Only rules of these categories.'),
  technique: listOf(z.string().max(16)).describe(
    'Only rules of these ATT&CK techniques, each with its sub-techniques; any: of one at all, none: of none.',
  ),
  status: listOf(status).describe('new, seen, or both.'),
  fate: listOf(z.enum(alertFates)).describe(
    'Only alerts of which one of these became: shown: in no case and not suppressed; folded: repeats were counted into it; suppressed: kept out of cases; autoClosed: in a case that nobody but the portal closed; inCase: in any other case.',
  ),
  text: z.string().trim().max(200).default('').describe('Part of the summary, rule, device or user; or an alert’s number.'),
};

const technique = z.object({
  id: z.string().max(16).describe('ATT&CK id, T1059.001.'),
  name: line.describe('The technique’s name.'),
  tactics: z.array(line).max(14).describe('The names of its tactics.'),
  url: line.describe('Its page at attack.mitre.org.'),
});

export const alertEvent = z.object({
  id: z.string().max(64).describe('Names the event.'),
  at: instant.describe('When it happened.'),
  text: line.describe('What it says, in one line.'),
  document: z.record(z.string().max(1000), z.unknown()).describe('The whole event, as stored.'),
});
export type AlertEvent = z.infer<typeof alertEvent>;

export const alertDetail = alertRow.extend({
  description: paragraph.describe('What the rule looks for.'),
  falsePositives: z.array(line).max(50).describe('What may raise it harmlessly.'),
  references: z.array(line).max(100).describe('Where to read more, as the rule’s author gave it.'),
  logSource: line.describe('The kind of events the rule reads: product, category, service.'),
  condition: paragraph.describe('The rule’s condition.'),
  why: z
    .array(
      z.object({
        selection: line.describe('The part of the condition.'),
        field: line.nullable().describe('The event’s field; null for a keyword.'),
        modifier: line.describe('How it was compared.'),
        pattern: line.describe('What the rule wanted.'),
        value: line.describe('What the event had.'),
      }),
    )
    .max(500)
    .describe('Why it matched: which field had which value.'),
  events: z.array(alertEvent).max(100).describe('Copies of the events that raised it, kept as long as the alert.'),
  eventsTotal: count.describe('How many events raised it; copies of the first ones are kept.'),
  techniques: z.array(technique).max(50).describe('ATT&CK techniques the rule is tagged with.'),
  controls: z
    .array(z.object({ id: z.string().max(16).describe('SP 800-53 control.'), name: line.describe('Its name.') }))
    .max(300)
    .describe('NIST SP 800-53 controls that answer these techniques.'),
  clockSkew: z.enum(['none', 'future', 'past']).describe('Whether the event’s own clock could not be believed.'),
  raisedAt: instant.describe('When the portal raised it.'),
  caseID: z.number().int().nullable().describe('The case that it belongs to; null for none.'),
  suppressedBy: z.number().int().nullable().describe('The suppression that kept it out of cases; null for none.'),
  related: z
    .object({
      device: z.array(alertRow).max(20).describe('Newest other alerts of the same device.'),
      user: z.array(alertRow).max(20).describe('Newest other alerts of the same user.'),
    })
    .describe('What else happened there.'),
});
export type AlertDetail = z.infer<typeof alertDetail>;

const facet = (value: z.ZodType<string>) =>
  z
    .array(
      z.object({
        value: value.describe('What the filter takes.'),
        label: line.describe('As shown.'),
        count: count.describe('Alerts in the timeframe.'),
      }),
    )
    .max(500);

const clientAndRange = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));

export const alertsApi = {
  list: endpoint({
    id: 'alerts.list',
    method: 'GET',
    path: '/alerts/alertList/:client/:start/:end',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'The alerts of a client in a timeframe, newest first, without their events.',
    params: clientAndRange,
    query: z.object({
      ...page,
      ...alertFilters,
      sort: z.enum(alertSorts).default('createdTime').describe('What the list is ordered by.'),
      order: z.enum(['asc', 'desc']).default('desc').describe('Upwards or downwards.'),
    }),
    answer: results(alertRow, 200).extend({
      totalIsAtLeast: z.boolean().describe('true when total is a bound: with filters, counting stops at 10,000.'),
    }),
  }),
  exportList: endpoint({
    id: 'alerts.exportList',
    method: 'GET',
    path: '/alerts/export/:client/:start/:end',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'The alerts of a client in a timeframe as a CSV file, newest first; at most 100,000.',
    params: clientAndRange,
    query: z.object(alertFilters),
    answers: 'file',
    answer: nothing,
  }),
  filters: endpoint({
    id: 'alerts.filters',
    method: 'GET',
    path: '/alertsfilters/:client',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'What a client’s alerts can be filtered by, with counts.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      start: instant.optional().describe('Start of the timeframe; 30 days ago when absent.'),
      end: instant.optional().describe('End of the timeframe, exclusive; now when absent.'),
    }),
    answer: z.object({
      severity: facet(z.string().max(20)).describe('By severity.'),
      status: facet(z.string().max(20)).describe('By status.'),
      category: facet(z.string().max(100)).describe('By the rule’s category.'),
      rule: facet(z.string().max(64)).describe('By rule, most frequent first.'),
      device: facet(z.string().max(2000)).describe('By device, most frequent first.'),
      user: facet(z.string().max(2000)).describe('By user, most frequent first.'),
    }),
  }),
  ruleNames: endpoint({
    id: 'alerts.ruleNames',
    method: 'GET',
    path: '/alerts/rulenames',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'The rules that raised alerts in a timeframe, by title.',
    query: startBeforeEnd(
      z.object({ selectedClientOrganizationId: clientId.describe('The client; 0 for all in scope.'), ...timeRange }),
    ),
    answer: results(
      z.object({
        ruleID: z.string().max(64).describe('The rule’s id.'),
        rule: line.describe('The rule’s title.'),
        count: count.describe('Alerts in the timeframe.'),
      }),
    ),
  }),
  detail: endpoint({
    id: 'alerts.detail',
    method: 'GET',
    path: '/alerts/:alertId',
    allow: 'alerts:read',
    freshness: 'none',
    summary: 'One alert: the rule, why it matched, its events and what is related.',
    params: z.object({ alertId: id.describe('The alert.') }),
    answer: alertDetail,
  }),
  live: endpoint({
    id: 'alerts.live',
    method: 'GET',
    path: '/alerts/live/:client',
    allow: 'alerts:follow',
    freshness: 'none',
    summary: 'New and repeated alerts of a client as they are raised, as server-sent events; resumed by Last-Event-ID.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ after: clientId.optional().describe('Resume after this event id.') }),
    answer: alertRow,
    answers: 'events',
  }),
};
