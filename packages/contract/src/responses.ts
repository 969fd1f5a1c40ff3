/** Responses on devices and accounts of a case; completed only when observed. */
import { z } from 'zod';
import { caseTask, response } from './caseDetail.ts';
import { endpoint } from './endpoint.ts';
import { acknowledgesWarning, id, instant, results } from './primitives.ts';

const caseID = id.describe('Case ID.');
export const duplicateTaskText = 'Tasks are duplicated and were not recorded';

export const responsesApi = {
  isolateHost: endpoint({
    id: 'responses.isolateHost',
    route: 'POST /caseDetails/isolateHost',
    allow: 'responses:write',
    freshness: { needs: 'fresh', fields: {}, also: 'where the device is a server' },
    summary: 'Requests the isolation of a device, or its release. A repeated request returns the existing one.',
    body: z.object({
      caseID,
      deviceID: z.string().trim().min(1).max(255).describe('Device UUID, or its name as in the case’s alerts.'),
      isIsolated: z.boolean().describe('true to isolate, false to release.'),
      acknowledgesWarning,
    }),
    answer: z.object({
      isolateResult: z.boolean().describe('True when the request was accepted.'),
      response: response.describe('The response request.'),
    }),
  }),
  issueBlockToken: endpoint({
    id: 'responses.issueBlockToken',
    route: 'POST /caseDetails/blockToken',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Returns a path to block or unblock a user of a case: valid for two minutes, once, for the caller only.',
    body: z.object({ caseID, userID: z.string().trim().min(1).max(255).describe('User name as in the case’s alerts.') }),
    answer: z.object({
      token: z.string().length(43).describe('Path token.'),
      expiresAt: instant.describe('Expiry time.'),
    }),
  }),
  blockUser: endpoint({
    id: 'responses.blockUser',
    route: 'POST /:token',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Requests to block or unblock the user of the path.',
    params: z.object({
      token: z
        .string()
        .regex(/^[\w-]{43}$/, 'This is not a valid block token.')
        .max(43)
        .describe('Path token.'),
    }),
    body: z.object({
      userID: z
        .union([z.string().max(255), z.number().int()])
        .optional()
        .describe('Ignored: the path identifies the user.'),
      isDisabled: z.boolean().describe('true to block, false to unblock.'),
      acknowledgesWarning,
    }),
    answer: z.object({
      signInResult: z.boolean().describe('True when the request was accepted.'),
      response: response.describe('The response request.'),
    }),
  }),
  acknowledge: endpoint({
    id: 'responses.acknowledge',
    route: 'POST /caseDetails/response/:id/acknowledge',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Confirms a manual response, or reports its failure.',
    params: z.object({ id: id.describe('Request ID.') }),
    body: z.object({
      isDone: z.boolean().describe('True when completed.'),
      isVerified: z
        .boolean()
        .default(false)
        .describe('With isDone: true when the effect was observed. The note states how; also for a request already confirmed.'),
      note: z.string().trim().max(2000).default('').describe('Observation, or reason of the failure.'),
    }),
    answer: response,
  }),
  executeTasks: endpoint({
    id: 'responses.executeTasks',
    route: 'POST /CaseDetails/executeResponseTasks',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Sends response tasks, or undoes sent ones. A second open task for the same target and action returns 409.',
    body: z.object({
      caseID,
      taskNumbers: z.array(z.number().int().min(1).max(10_000)).min(1).max(100).describe('Tasks to toggle.'),
      acknowledgesWarning,
    }),
    answer: results(caseTask, 100),
  }),
  addTask: endpoint({
    id: 'responses.addTask',
    route: 'POST /CaseDetails/responseTask',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Adds a task to a case; executing it sends it.',
    body: z.object({
      caseID,
      action: z.enum(['block', 'disable']).describe('Action type.'),
      target: z
        .string()
        .trim()
        .min(1)
        .max(255)
        .describe('Address, program or hash to block, or user to disable, that occurs in the case.'),
      device: z.string().trim().max(255).default('').describe('Device to execute it on; empty for everywhere.'),
    }),
    answer: results(caseTask, 100),
  }),
};
