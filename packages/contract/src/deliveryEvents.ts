/** Catalogue of the events that leave the portal: the data of each, as webhooks carry it. Published in the OpenAPI document under `webhooks`. */
import { z } from 'zod';
import { instant, line, name, organisationId, severity } from './primitives.ts';
import { caseStatusValues, slaTimerNames, verdicts } from './rules/cases.ts';
import { type DeliveryEvent, deliveryEventValues, eventLabel } from './rules/deliveries.ts';

const recordId = z.number().int();
const figure = z.number().int().min(0);
const mean = z.number().min(0).nullable();
const about = {
  organisation: organisationId.describe('Client organisation ID.'),
  client: name.describe('Client organisation.'),
  url: line.describe('Page in the portal.'),
};
const status = z.enum(caseStatusValues);
const ofCase = {
  ...about,
  id: recordId.describe('Case ID.'),
  title: line.describe('Title of the case.'),
  severity,
  status: status.describe('Status at the time of the event.'),
  verdict: z.enum(verdicts).nullable().describe('Verdict at the time of the event; null before it is reached.'),
  confidence: z.number().int().min(0).max(100).nullable().describe('Confidence of the verdict in percent.'),
  alerts: z.number().int().min(0).describe('Number of alerts.'),
  unacknowledgedMinutes: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Set for an escalation: minutes without an acknowledgement.'),
};

/** Vulnerabilities of one message; a device's further ones come in messages of their own. */
export const maxVulnerabilities = 50;

/** Events of one alert, and the length of their JSON in all, in characters. */
export const maxAlertEvents = 3;
export const maxAlertEventsLength = 16_384;
const maxTechniques = 20;

/** Events of one digest; further ones follow in another. */
export const maxDigestEvents = 200;

const vulnerabilities = z.object({
  ...about,
  id: recordId.describe('ID of the first finding.'),
  device: line.describe('Name of the device.'),
  deviceId: z.uuid().describe('Device ID.'),
  source: z.enum(['agent', 'trivy', 'cyclonedx']).describe('Scan: the inventory of the agent, or an uploaded result.'),
  count: z.number().int().min(1).describe('Vulnerabilities of this scan that were found or fixed, over all messages.'),
  vulnerabilities: z
    .array(
      z.object({
        id: recordId.describe('Finding ID.'),
        cve: line.describe('CVE ID, or that of the advisory where there is none.'),
        title: z.string().max(300).describe('Title of the advisory; empty without one.'),
        severity,
        cvss: z.number().min(0).max(10).nullable().describe('CVSS base score; null without one.'),
        package: line.describe('Package.'),
        installedVersion: line.describe('Installed version.'),
        fixedVersion: line.nullable().describe('Version that fixes it; null where none is known.'),
        isExploited: z.boolean().describe('True for a known exploited vulnerability (CISA KEV).'),
      }),
    )
    .min(1)
    .max(maxVulnerabilities)
    .describe('Vulnerabilities, the worst first.'),
});

/** Data of each event. */
export const deliveryData = {
  'case.opened': z.object(ofCase),
  'case.verdict': z.object(ofCase),
  'case.acknowledged': z.object(ofCase),
  'case.statusChanged': z.object({ ...ofCase, previousStatus: status.describe('Status before the change.') }),
  'case.slaWarning': z.object({
    ...ofCase,
    timer: z.enum(slaTimerNames).describe('Timer of the service level: time to acknowledge, contain or close.'),
    isMissed: z.boolean().describe('True once the target is missed, false while it is at risk.'),
    targetMinutes: z.number().int().min(0).describe('Target in minutes.'),
  }),
  'alert.raised': z.object({
    ...about,
    id: recordId.describe('Alert ID.'),
    title: line.describe('Title of the rule.'),
    severity,
    at: instant.describe('Time of the first event.'),
    summary: z.string().max(1_000).describe('Text of the alert.'),
    device: line.nullable().describe('Name of the device; null without one.'),
    user: line.nullable().describe('Name of the user; null without one.'),
    techniques: z.array(line).max(maxTechniques).describe('ATT&CK techniques of the rule, such as T1059.001.'),
    tactics: z.array(line).max(maxTechniques).describe('ATT&CK tactics of the rule, such as credential-access.'),
    case: recordId.nullable().describe('Case ID; null while the alert is in no case.'),
    count: z.number().int().min(1).describe('Events of the alert so far.'),
    events: z
      .array(z.record(z.string(), z.unknown()))
      .max(maxAlertEvents)
      .optional()
      .describe('First events of the alert as ECS documents, for rules that send them.'),
  }),
  'response.approvalNeeded': z.object({
    ...about,
    id: recordId.describe('Response ID.'),
    case: recordId.nullable().describe('Case ID; null outside a case.'),
    response: line.describe('The requested response with its target.'),
    decideBy: instant.describe('End of the time for approval.'),
  }),
  'source.silent': z.object({
    ...about,
    id: recordId.describe('Silence ID, the first of several.'),
    sources: z.array(line).max(20).describe('Names of the sources, at most 20.'),
    count: z.number().int().min(1).describe('Number of sources.'),
    since: instant.describe('Newest event of the first one.'),
  }),
  'vulnerability.found': vulnerabilities,
  'vulnerability.fixed': vulnerabilities,
  'report.ready': z.object({
    ...about,
    id: recordId.describe('Schedule ID.'),
    month: line.describe('Reported month, such as 2026-10.'),
  }),
  'digest.weekly': z.object({
    ...about,
    id: recordId.describe('Client organisation ID.'),
    until: instant.describe('End of the seven days.'),
    open: z
      .object({ critical: figure, high: figure, medium: figure, low: figure, informational: figure })
      .describe('Cases that are open at the end, by severity.'),
    opened: figure.describe('Cases opened.'),
    closed: figure.describe('Cases closed.'),
    waiting: figure.describe('Cases that wait for the client at the end.'),
    minutesToAcknowledge: mean.describe('Mean minutes to the acknowledgement; null without one.'),
    minutesToContain: mean.describe('Mean minutes to a verified containment; null without one.'),
    minutesToClose: mean.describe('Mean minutes to the end of a case; null without one.'),
  }),
  'digest.events': z.object({
    ...about,
    organisation: organisationId.describe('Owner of the target.'),
    client: name.describe('Client organisation, or the number of several.'),
    count: z.number().int().min(2).max(maxDigestEvents).describe('Number of events.'),
    events: z
      .array(
        z.object({
          event: z.enum(deliveryEventValues).describe('Event.'),
          organisation: organisationId.describe('Client organisation ID.'),
          client: name.describe('Client organisation.'),
          id: recordId.describe('ID of the case, alert or other subject.'),
          title: line.describe('Title of the message.'),
          severity: severity.nullable().describe('Severity; null without one.'),
          at: instant.describe('Time of the event.'),
          url: line.describe('Page in the portal.'),
        }),
      )
      .max(maxDigestEvents)
      .describe('Events, oldest first.'),
  }),
  test: z.object({ ...about, text: line.describe('Text of the test.') }),
} satisfies Record<DeliveryEvent | 'digest.events' | 'test', z.ZodType>;

/** Envelope of a webhook by Standard Webhooks. */
export const webhookBody = (event: keyof typeof deliveryData) =>
  z.object({
    type: z.literal(event).describe(eventLabel(event)),
    timestamp: instant.describe('Time of the event.'),
    data: deliveryData[event].describe('Data of the event.'),
  });
