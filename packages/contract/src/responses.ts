/** Answers on devices and accounts: asked for, and called done only when that was observed (decisions 13–15). */
import { z } from 'zod';
import { caseTask, response } from './caseDetail.ts';
import { endpoint } from './endpoint.ts';
import { acknowledgesWarning, id, instant, results } from './primitives.ts';

const caseID = id.describe('The case.');
export const duplicateTaskText = 'Tasks are duplicated and were not recorded';

export const responsesApi = {
  isolateHost: endpoint({
    id: 'responses.isolateHost',
    method: 'POST',
    path: '/caseDetails/isolateHost',
    allow: 'responses:write',
    freshness: { needs: 'fresh', fields: {}, also: 'where the device is a server' },
    summary: 'Asks for a device to be isolated, or let back. Asked twice, it is one request.',
    body: z.object({
      caseID,
      deviceID: z.string().trim().min(1).max(255).describe('The device: its uuid, or its name as in the case’s alerts.'),
      isIsolated: z.boolean().describe('true to isolate, false to let back.'),
      acknowledgesWarning,
    }),
    answer: z.object({
      isolateResult: z.boolean().describe('Whether the request was accepted.'),
      response: response.describe('The request in the ledger.'),
    }),
  }),
  issueBlockToken: endpoint({
    id: 'responses.issueBlockToken',
    method: 'POST',
    path: '/caseDetails/blockToken',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'The path for one block or unblock of a user of a case: valid two minutes, used once, for the caller only.',
    body: z.object({ caseID, userID: z.string().trim().min(1).max(255).describe('The user’s name as in the case’s alerts.') }),
    answer: z.object({
      token: z.string().length(43).describe('The path.'),
      expiresAt: instant.describe('Until when it can be used.'),
    }),
  }),
  blockUser: endpoint({
    id: 'responses.blockUser',
    method: 'POST',
    path: '/:token',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Asks for the user that the path was made for to be blocked or unblocked.',
    params: z.object({
      token: z
        .string()
        .regex(/^[\w-]{43}$/, 'This is not a path for blocking a user.')
        .max(43)
        .describe('The path.'),
    }),
    body: z.object({
      userID: z
        .union([z.string().max(255), z.number().int()])
        .optional()
        .describe('Ignored: the path says whom.'),
      isDisabled: z.boolean().describe('true to block, false to unblock.'),
      acknowledgesWarning,
    }),
    answer: z.object({
      signInResult: z.boolean().describe('Whether the request was accepted.'),
      response: response.describe('The request in the ledger.'),
    }),
  }),
  acknowledge: endpoint({
    id: 'responses.acknowledge',
    method: 'POST',
    path: '/caseDetails/response/:id/acknowledge',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'The person who did it by hand says so, or that it failed.',
    params: z.object({ id: id.describe('The request.') }),
    body: z.object({
      isDone: z.boolean().describe('Whether it was done.'),
      note: z.string().trim().max(2000).default('').describe('How that was seen, or why it failed.'),
    }),
    answer: response,
  }),
  executeTasks: endpoint({
    id: 'responses.executeTasks',
    method: 'POST',
    path: '/CaseDetails/executeResponseTasks',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Sends response tasks, or takes sent ones back. A second open task of the same target and action is refused (409).',
    body: z.object({
      caseID,
      taskNumbers: z.array(z.number().int().min(1).max(10_000)).min(1).max(100).describe('Tasks to toggle.'),
      acknowledgesWarning,
    }),
    answer: results(caseTask, 100),
  }),
  addTask: endpoint({
    id: 'responses.addTask',
    method: 'POST',
    path: '/CaseDetails/responseTask',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Adds a task to a case; it is sent when it is executed.',
    body: z.object({
      caseID,
      action: z.enum(['block', 'disable']).describe('The typed action.'),
      target: z
        .string()
        .trim()
        .min(1)
        .max(255)
        .describe('The address, program or hash to block, or the user to disable; seen in the case.'),
      device: z.string().trim().max(255).default('').describe('The device where it is done; empty for everywhere.'),
    }),
    answer: results(caseTask, 100),
  }),
};
