/** Setup checklist: what an installation, a partner or a client needs before it is protected. Every step is checked against the data. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line } from './primitives.ts';

/** In their order on the page. Steps of a client begin with `contact`. */
export const setupStepIds = [
  'brand',
  'address',
  'mail',
  'partner',
  'client',
  'colleagues',
  'secondFactor',
  'backup',
  'contact',
  'administrator',
  'escalation',
  'source',
  'attack',
] as const;
export type SetupStepId = (typeof setupStepIds)[number];

/** Steps that a person confirms, as the portal cannot observe them. */
export const confirmedSteps = ['backup', 'hidden'] as const;

/** Beginning of the name of the device that a test attack names. */
export const testDevicePrefix = 'setup-test-';

export const setupStep = z.object({
  id: z.enum(setupStepIds).describe('Step.'),
  isDone: z.boolean().describe('True when the data shows it.'),
  note: line.describe('Finding, or missing part; may be empty.'),
  canConfirm: z.boolean().optional().describe('True for a step that the portal can’t observe here.'),
});
export type SetupStep = z.infer<typeof setupStep>;

export const setupApi = {
  get: endpoint({
    id: 'setup.get',
    route: 'GET /setup/:client',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Returns the setup checklist of an organisation.',
    params: z.object({ client: clientId.describe('The client; 0 for the own organisation of staff, and all below it.') }),
    answer: z.object({
      steps: z.array(setupStep).max(setupStepIds.length).describe('Steps in their order.'),
      isHidden: z.boolean().describe('True when the checklist is hidden.'),
      clients: count.describe('Active clients in scope.'),
    }),
  }),
  confirm: endpoint({
    id: 'setup.confirm',
    route: 'POST /setup/:client/confirm',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Confirms a step that the portal cannot observe, or hides the checklist; or undoes either.',
    params: z.object({ client: clientId.describe('The client; 0 for the own organisation of staff, and all below it.') }),
    body: z.object({
      step: z.enum(confirmedSteps).describe('backup, or hidden for the whole checklist.'),
      isConfirmed: z.boolean().describe('False to undo.'),
    }),
    answer: nothing,
  }),
  testMail: endpoint({
    id: 'setup.testMail',
    route: 'POST /setup/testmail',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Sends a test email to the caller. Its state is in the outbox.',
    answer: z.object({
      id: id.describe('Email ID.'),
      isSending: z.boolean().describe('False without a mail server: the email stays in the outbox.'),
    }),
  }),
  attack: endpoint({
    id: 'setup.attack',
    route: 'GET /setup/:client/attack/:device',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Returns how far a test attack has come: event, alert, case.',
    params: z.object({
      client: id.describe('The client.'),
      device: z
        .string()
        .max(60)
        .regex(new RegExp(`^${testDevicePrefix}[a-z0-9]{4,20}$`), `This must be a device of a test attack, ${testDevicePrefix}….`)
        .describe('Device that the events name.'),
    }),
    answer: z.object({
      receivedAt: instant.nullable().describe('Arrival of the first event; null before.'),
      alertID: id.nullable().describe('First alert; null before.'),
      caseID: id.nullable().describe('Case of the alert; null before.'),
    }),
  }),
};
