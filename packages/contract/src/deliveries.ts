/** Deliveries to other systems: targets, the rules that route events to them, and each delivery with what the other side confirmed. */
import { z } from 'zod';
import { connectionField } from './connections.ts';
import { deliveryTicketsApi } from './deliveryTickets.ts';
import { endpoint, nothing } from './endpoint.ts';
import {
  clientId,
  count,
  id,
  instant,
  line,
  name,
  nameLine,
  organisationId,
  page,
  paragraph,
  results,
  severity,
  timeZone,
} from './primitives.ts';
import { caseStatusValues, verdicts } from './rules/cases.ts';
import { deliveryEventValues, deliveryStateValues, maxEscalations } from './rules/deliveries.ts';

const kindId = z.string().max(40).describe('Kind of target, from deliveries.kinds.');
const values = z
  .record(z.string().max(40), z.string().trim().max(10_000))
  .describe('Values of the kind’s fields, by the name of the field.');
const minuteOfDay = (max: number) => z.number().int().min(0).max(max);
const recordId = z.number().int();

export const targetKind = z.object({
  id: kindId,
  title: line.describe('Product.'),
  documentation: line.describe('Address of the description of the interface.'),
  steps: z.array(line).max(20).describe('Instructions for administrators, in order.'),
  fields: z.array(connectionField).max(20).describe('Inputs of the form.'),
  hasSigningSecret: z.boolean().describe('True when the portal generates a signing secret, shown once.'),
  isAllowed: z.boolean().describe('False when the caller may not add this kind.'),
  example: values.nullable().describe('Values of the demo’s simulated system; null outside the demo.'),
});
export type TargetKind = z.infer<typeof targetKind>;

const quietTime = z
  .object({
    zone: timeZone.describe('Time zone of the hours.'),
    from: minuteOfDay(1439).describe('Begin, in minutes of the day.'),
    to: minuteOfDay(1440).describe('End, in minutes of the day; before the begin: on the next day.'),
  })
  .describe('Daily time in which deliveries wait.');
export type QuietTime = z.infer<typeof quietTime>;

export const targetStates = ['new', 'working', 'failing', 'paused'] as const;

export const deliveryTarget = z.object({
  id: recordId.describe('Target ID.'),
  clientOrganizationID: organisationId.describe('Owner. A partner’s target can receive events of all of its clients.'),
  clientOrganizationName: name.describe('Name of the owner.'),
  kind: kindId,
  title: line.describe('Product.'),
  hasTickets: z.boolean().describe('True for a PSA, whose tickets are set up and read back.'),
  name: name.describe('Name given by people.'),
  state: z.enum(targetStates).describe('new before the first delivery, working, failing since the newest attempt, or paused.'),
  error: line.nullable().describe('Newest failure in the other side’s words; null after a success.'),
  errorAt: instant.nullable().describe('Time of the failure.'),
  acceptedAt: instant.nullable().describe('Newest delivery that the other side accepted.'),
  waiting: count.describe('Deliveries that are queued or will be retried.'),
  givenUp: count.describe('Deliveries that were given up in the last 30 days.'),
  quiet: quietTime.nullable().describe('Quiet time; null without one.'),
  previousSecretUntil: instant.nullable().describe('End of validity of the rotated signing secret.'),
  createdAt: instant.describe('Creation time.'),
});
export type DeliveryTarget = z.infer<typeof deliveryTarget>;

const rule = z.object({
  targetId: id.describe('Target ID.'),
  clientId: id.nullable().describe('Only events of this client; null for all that the target’s owner covers.'),
  isOn: z.boolean().describe('False keeps the rule without sending.'),
  events: z.array(z.enum(deliveryEventValues)).min(1, 'Choose at least one event.').max(10).describe('Events to send.'),
  minSeverity: severity.describe('Cases of at least this severity.'),
  verdicts: z
    .array(z.enum(verdicts))
    .max(10)
    .describe('Cases with one of these verdicts; empty for all. A case has none when it opens.'),
  statuses: z.array(z.enum(caseStatusValues)).max(10).describe('Changes to one of these statuses; empty for all.'),
  afterMinutes: z
    .number()
    .int()
    .min(0)
    .max(1440)
    .describe('Escalation: sent so many minutes after a case or its verdict, unless it is acknowledged by then; 0 for at once.'),
  escalations: z
    .array(
      z.object({
        afterMinutes: z.number().int().min(1).max(1440).describe('Minutes after the event.'),
        targetId: id.describe('Target of the same owner.'),
      }),
    )
    .max(maxEscalations)
    .default([])
    .describe('Further targets for new cases and verdicts, each unless the case is acknowledged by then.'),
  hours: z
    .object({
      zone: timeZone.describe('Time zone of the hours.'),
      days: z
        .array(z.number().int().min(1).max(7))
        .min(1, 'Choose at least one day.')
        .max(7)
        .describe('Days, 1 for Monday to 7.'),
      from: minuteOfDay(1439).describe('Begin, in minutes of the day.'),
      to: minuteOfDay(1440).describe('End, in minutes of the day; before the begin: on the next day.'),
    })
    .nullable()
    .describe(
      'Hours in which events are sent, the weekly digest at any; null for always. Events outside them are not sent later.',
    ),
});
export type DeliveryRuleInput = z.infer<typeof rule>;
export const deliveryRuleInput = rule;

export const deliveryRule = rule.extend({
  id: recordId.describe('Rule ID.'),
  targetName: name.describe('Name of the target.'),
  clientName: name.nullable().describe('Name of the client.'),
  clientOrganizationID: organisationId.describe('Owner of target and rule.'),
});
export type DeliveryRule = z.infer<typeof deliveryRule>;

export const delivery = z.object({
  id: recordId.describe('Delivery ID.'),
  clientOrganizationID: organisationId.describe('Owner of the target.'),
  clientName: name.describe('Client of the event.'),
  event: z
    .enum([...deliveryEventValues, 'test', 'billing.quantity', 'case.note'])
    .describe(
      'Event; test for one sent by hand, billing.quantity for a confirmed quantity, case.note for a note that goes to a ticket.',
    ),
  title: line.describe('Subject of the event.'),
  eventAt: instant.describe('Time of the event.'),
  state: z
    .enum(deliveryStateValues)
    .describe(
      'queued, sent without a confirmation yet, accepted by the other side, failed and retried, given up, or not needed because the case was acknowledged.',
    ),
  attempts: count.describe('Attempts so far.'),
  nextAt: instant.nullable().describe('Next attempt; null when there is none.'),
  sentAt: instant.nullable().describe('Newest attempt.'),
  acceptedAt: instant.nullable().describe('Time of the confirmation.'),
  acceptedId: line.nullable().describe('Id that the other side gave.'),
  link: line.nullable().describe('Page of the ticket at the other side; null without one.'),
  words: line.nullable().describe('Newest failure in words.'),
});
export type Delivery = z.infer<typeof delivery>;

const ofClient = z.object({ client: id.describe('Owner of the target.') });
const ofTarget = ofClient.extend({ target: id.describe('Target ID.') });
const ofDelivery = ofTarget.extend({ delivery: id.describe('Delivery ID.') });
const ofRule = ofClient.extend({ rule: id.describe('Rule ID.') });
const allow = 'deliveries:write';
const secret = line.nullable().describe('Generated signing secret, returned only now; null for kinds without one.');

export const deliveriesApi = {
  ...deliveryTicketsApi,
  kinds: endpoint({
    id: 'deliveries.kinds',
    route: 'GET /deliverytargetkinds',
    allow,
    freshness: 'none',
    summary: 'Lists the kinds of targets with their fields and instructions.',
    answer: results(targetKind, 100),
  }),
  targets: endpoint({
    id: 'deliveries.targets',
    route: 'GET /deliverytargets/:client',
    allow,
    freshness: 'none',
    summary: 'Lists the targets of an organisation, or of all in scope.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    answer: results(deliveryTarget, 1_000),
  }),
  createTarget: endpoint({
    id: 'deliveries.createTarget',
    route: 'POST /deliverytargets/:client',
    allow,
    freshness: 'freshOrKey',
    summary: 'Adds a target. Nothing is sent before a rule routes events to it.',
    params: ofClient,
    body: z.object({ kind: kindId, name: nameLine.describe('Name for people.'), values }),
    answer: z.object({ target: deliveryTarget.describe('The target.'), secret }),
  }),
  updateTarget: endpoint({
    id: 'deliveries.updateTarget',
    route: 'PUT /deliverytargets/:client/:target',
    allow,
    freshness: 'none',
    summary:
      'Pauses or resumes a target, or changes its name and quiet time. Deliveries of a paused target wait for up to 72 hours.',
    params: ofTarget,
    body: z.object({
      name: nameLine.describe('Name for people.'),
      isPaused: z.boolean().describe('True to pause, false to resume.'),
      quiet: quietTime.nullable().describe('Quiet time; null for none.'),
    }),
    answer: nothing,
  }),
  replaceSecrets: endpoint({
    id: 'deliveries.replaceSecrets',
    route: 'PUT /deliverytargets/:client/:target/secrets',
    allow,
    freshness: 'freshOrKey',
    summary: 'Replaces the secrets of a target. A generated signing secret is rotated: the previous one signs too for 24 hours.',
    params: ofTarget,
    body: z.object({ values }),
    answer: z.object({ secret }),
  }),
  test: endpoint({
    id: 'deliveries.test',
    route: 'POST /deliverytargets/:client/:target/test',
    allow,
    freshness: 'none',
    summary: 'Sends a test message now, and returns what the other side confirmed.',
    params: ofTarget,
    answer: delivery,
  }),
  removeTarget: endpoint({
    id: 'deliveries.removeTarget',
    route: 'DELETE /deliverytargets/:client/:target',
    allow,
    freshness: 'freshOrKey',
    summary: 'Removes a target with its secrets, rules and deliveries.',
    params: ofTarget,
    answer: nothing,
  }),
  list: endpoint({
    id: 'deliveries.list',
    route: 'GET /deliverytargets/:client/:target/deliveries',
    allow,
    freshness: 'none',
    summary: 'Lists the deliveries to a target, newest first.',
    params: ofTarget,
    query: z.object(page),
    answer: results(delivery, 200),
  }),
  get: endpoint({
    id: 'deliveries.get',
    route: 'GET /deliverytargets/:client/:target/deliveries/:delivery',
    allow,
    freshness: 'none',
    summary: 'Returns a delivery with its newest request and answer, without secrets and headers.',
    params: ofDelivery,
    answer: delivery.extend({
      request: paragraph.nullable().describe('Body of the newest request; null before the first attempt.'),
      answer: paragraph.nullable().describe('Beginning of the newest answer; null without one.'),
      answerStatus: z.number().int().nullable().describe('HTTP status of the newest answer.'),
      messageId: line.describe('Idempotency key, the same on every attempt.'),
    }),
  }),
  replay: endpoint({
    id: 'deliveries.replay',
    route: 'POST /deliverytargets/:client/:target/deliveries/:delivery/replay',
    allow,
    freshness: 'none',
    summary: 'Sends a delivery again that was given up, with the same idempotency key.',
    params: ofDelivery,
    answer: nothing,
  }),
  replayAll: endpoint({
    id: 'deliveries.replayAll',
    route: 'POST /deliverytargets/:client/:target/replay',
    allow,
    freshness: 'none',
    summary: 'Sends all deliveries again that were given up, oldest first, with the same idempotency keys.',
    params: ofTarget,
    answer: z.object({ count: count.describe('Number of deliveries queued again.') }),
  }),
  rules: endpoint({
    id: 'deliveries.rules',
    route: 'GET /deliveryrules/:client',
    allow,
    freshness: 'none',
    summary: 'Lists the routing rules of an organisation, or of all in scope.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    answer: results(deliveryRule, 1_000),
  }),
  createRule: endpoint({
    id: 'deliveries.createRule',
    route: 'POST /deliveryrules/:client',
    allow,
    freshness: 'none',
    summary: 'Adds a routing rule.',
    params: ofClient,
    body: rule,
    answer: z.object({ id: recordId.describe('Rule ID.') }),
  }),
  updateRule: endpoint({
    id: 'deliveries.updateRule',
    route: 'PUT /deliveryrules/:client/:rule',
    allow,
    freshness: 'none',
    summary: 'Changes a routing rule. Without escalations it keeps those that it has.',
    params: ofRule,
    body: rule.extend({
      escalations: rule.shape.escalations.unwrap().optional().describe('Further targets; without it those that the rule has.'),
    }),
    answer: nothing,
  }),
  removeRule: endpoint({
    id: 'deliveries.removeRule',
    route: 'DELETE /deliveryrules/:client/:rule',
    allow,
    freshness: 'none',
    summary: 'Removes a routing rule.',
    params: ofRule,
    answer: nothing,
  }),
  preview: endpoint({
    id: 'deliveries.preview',
    route: 'POST /deliveryrules/:client/preview',
    allow,
    freshness: 'none',
    summary:
      'Counts what a rule and its levels of escalation would have sent in the last 30 days, with the severities and verdicts of today.',
    params: ofClient,
    body: rule,
    answer: z.object({
      results: z
        .array(
          z.object({ event: z.enum(deliveryEventValues).describe('Event.'), count: count.describe('Number of deliveries.') }),
        )
        .max(10)
        .describe('The rule’s events.'),
      total: count.describe('Number of all.'),
      escalations: z
        .array(
          z.object({
            afterMinutes: z.number().int().describe('Minutes after the event.'),
            count: count.describe('Number of deliveries whose case was not acknowledged by then.'),
          }),
        )
        .max(maxEscalations)
        .describe('The rule’s levels of escalation, in order.'),
    }),
  }),
};
