/** Changes to detection rules, and previews of them over stored events. */
import { z } from 'zod';
import { alertTime } from './analystTime.ts';
import { count, id, instant, line, name, organisationId, severity } from './primitives.ts';

export const maxRuleLength = 65_536;

export const ruleKey = z.string().trim().min(1).max(64);
export const ruleYaml = z.string().min(1).max(maxRuleLength);
export const ruleOwner = {
  clientOrganizationID: organisationId.describe('The organisation: the provider, a partner or a client.'),
};
export const ofRule = { ...ruleOwner, ruleID: ruleKey.describe('Rule ID.') };

/** Alerts that a suppression keeps out of cases. */
export const suppressionMatch = {
  clientOrganizationID: id.describe('The client.'),
  ruleID: z.string().max(64).nullable().default(null).describe('Rule to match; null for every rule.'),
  deviceName: z.string().trim().max(255).nullable().default(null).describe('Device to match; null for every device.'),
  userName: z.string().trim().max(255).nullable().default(null).describe('User to match; null for every user.'),
};
export const needsMatch = 'Select a rule, a device or a user. A suppression can’t cover all alerts.';
export const isSpecific = (it: { ruleID: string | null; deviceName: string | null; userName: string | null }): boolean =>
  Boolean(it.ruleID || it.deviceName || it.userName);

export const maxPreviewClients = 500;
/** Malicious cases that a preview names. */
export const maxMaliciousCases = 100;
/** A change to a rule before it is saved. */
export const ruleChange = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('exception').describe('A new exception.'),
    ...ofRule,
    yaml: z.string().min(1).max(16_384).describe('Sigma filter.'),
  }),
  z.object({
    kind: z.literal('override').describe('Severity, on or off.'),
    ...ofRule,
    isOn: z.boolean().nullable().describe('On or off; null to inherit.'),
    criticality: severity.nullable().describe('Severity; null to inherit.'),
  }),
  z.object({
    kind: z.literal('text').describe('A new text, or a new rule.'),
    ...ruleOwner,
    ruleID: ruleKey.nullable().describe('Rule ID; null for a new rule.'),
    yaml: ruleYaml.describe('Text.'),
  }),
  z.object({
    kind: z.literal('suppression').describe('A new suppression of alerts; its past is the alerts themselves.'),
    ...suppressionMatch,
  }),
]);
export type RuleChange = z.infer<typeof ruleChange>;

const previewAlert = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  kind: z.enum(['gained', 'lost', 'changed']).describe('gained, lost, or of another severity.'),
  rule: line.describe('Rule title.'),
  criticality: severity.describe('Severity.'),
  at: instant.describe('Time of its first event.'),
  count: count.describe('Events.'),
  deviceName: line.nullable().describe('Device.'),
  userName: line.nullable().describe('User.'),
  summary: line.describe('Summary.'),
});
/** Of every preview over the past. */
export const previewHead = {
  id: id.describe('ID of the preview.'),
  state: z.enum(['waiting', 'running', 'done', 'cancelled', 'failed']).describe('State.'),
  start: instant.describe('Start of the range.'),
  end: instant.describe('End of the range.'),
  failure: line.describe('Reason of a failure; empty without one.'),
  requestedBy: line.describe('Requester.'),
  requestedTime: instant.describe('Time of the request.'),
};

export const rulePreview = z.object({
  ...previewHead,
  change: ruleChange.describe('The change.'),
  scanned: count.describe('Events judged so far; 0 for a suppression.'),
  total: count.describe('Events of the range; 0 for a suppression.'),
  clients: z
    .array(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        events: count.describe('Events judged; alerts for a suppression.'),
        from: instant
          .nullable()
          .describe(
            'Time from which events are available; later than the start of the range if older ones are not; null without events.',
          ),
        isPartial: z.boolean().describe('True if fewer days than the range could be judged.'),
        before: count.describe('Alerts of the rules concerned without the change.'),
        after: count.describe('Alerts with it.'),
        gained: count.describe('New alerts.'),
        lost: count.describe('Alerts that would not have been raised.'),
        changed: count.describe('Alerts of another severity.'),
      }),
    )
    .max(maxPreviewClients)
    .describe('Result by client.'),
  analystTime: alertTime.nullable().describe('Time of analysts: difference of the alerts; null for clients.'),
  days: z
    .array(
      z.object({
        day: z.iso.date().max(10).describe('Day (UTC).'),
        gained: count.describe('New alerts.'),
        lost: count.describe('Lost alerts.'),
      }),
    )
    .max(400)
    .describe('Result by day, days without a difference left out.'),
  maliciousCases: z
    .array(
      z.object({
        caseID: id.describe('Case.'),
        clientOrganizationID: organisationId.describe('The client.'),
        alerts: count.describe('Lost alerts in it.'),
      }),
    )
    .max(maxMaliciousCases)
    .describe('Malicious cases with alerts that would be lost.'),
  examples: z.array(previewAlert).max(60).describe('First differences, lost ones first.'),
});
export type RulePreview = z.infer<typeof rulePreview>;
