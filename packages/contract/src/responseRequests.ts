/** The page of responses: every request over all cases with its steps, who must approve what, what is protected (decisions 14–15). */
import { z } from 'zod';
import { response, responseActions, responseStates } from './caseDetail.ts';
import { endpoint, nothing } from './endpoint.ts';
import {
  acknowledgesWarning,
  clientId,
  count,
  id,
  instant,
  line,
  listOf,
  name,
  organisationId,
  page,
  results,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { deviceTypes } from './rules/values.ts';

const note = z.string().trim().max(2000).default('');

export const responseRow = response.extend({
  clientOrganizationName: name.describe('The client’s name.'),
  deviceName: line.nullable().describe('The device where it is done, where that is not the target.'),
  via: z.enum(['agent', 'manual']).describe('agent: ours does it; manual: a person does it and confirms.'),
  releaseAt: instant.nullable().describe('When it is undone by itself.'),
  expiresAt: instant.describe('When it expires unless it was done.'),
  approvalsNeeded: count.describe('Approvals that it still needs.'),
  mayApprove: z.boolean().describe('Whether the reader may approve it now.'),
  approvalRefusal: line
    .nullable()
    .describe('Why the reader cannot approve it; null where they can, or where it waits for no approval.'),
  mayUndo: z.boolean().describe('Whether the reader may take it back or undo it now.'),
});
export type ResponseRow = z.infer<typeof responseRow>;

export const responseDetail = responseRow.extend({
  note: line.describe('Why it was asked for.'),
  steps: z
    .array(
      z.object({
        time: instant.describe('When.'),
        state: z.enum([...responseStates, 'approval', 'refusal', 'note']).describe('What happened.'),
        actor: line.describe('Who; empty for the portal or the agent.'),
        detail: line.describe('What was said or seen.'),
      }),
    )
    .max(200)
    .describe('Its history, oldest first.'),
  rule: line.describe('The approval rule that applies, in words; empty when none does.'),
  instructions: z.array(line).max(20).describe('For a manual task: what to do, step by step.'),
  agent: z
    .object({
      agentID: z.number().int().describe('The agent.'),
      state: z.enum(['online', 'stale', 'silent', 'revoked']).describe('How it is.'),
      lastCheckInAt: instant.nullable().describe('Its last check-in.'),
      sequence: count.describe('The task’s number with that agent; 0 while it was not given.'),
    })
    .nullable()
    .describe('The agent that does it.'),
  file: z
    .object({
      path: line.describe('Where it was.'),
      sha256: z.string().max(64).describe('Its SHA-256, as hexadecimal digits.'),
      size: count.describe('Its size in bytes.'),
      isStored: z.boolean().describe('Whether its bytes are here.'),
    })
    .nullable()
    .describe('The collected file. The portal never opens it.'),
});
export type ResponseDetail = z.infer<typeof responseDetail>;

/** nobody: no approval; requester: the client’s own administrators; partner: its partner’s staff; provider: the provider’s staff. */
export const approverKinds = ['nobody', 'client', 'partner', 'provider'] as const;
export const ruleHours = ['always', 'workingHours', 'outsideWorkingHours'] as const;
export const ruleSilences = ['expire', 'approve'] as const;

const ruleFields = {
  action: z.enum(responseActions).nullable().describe('For this action; null for every one.'),
  deviceType: z.enum(deviceTypes).nullable().describe('For targets of this type; null for all.'),
  hours: z.enum(ruleHours).describe('always, workingHours (Mon–Fri 8–18 in the client’s zone) or outsideWorkingHours.'),
  approvers: z.enum(approverKinds).describe('Who approves: nobody, client, partner or provider.'),
  persons: z.number().int().min(1).max(2).default(1).describe('How many must; never the one who asked.'),
  silence: z.enum(ruleSilences).default('expire').describe('What silence means: expire or approve.'),
  waitMinutes: z
    .number()
    .int()
    .min(5)
    .max(24 * 60)
    .default(60)
    .describe('How long approval is waited for.'),
};
export const approvalRule = z.object({
  id: z.number().int().describe('Names the rule.'),
  clientOrganizationID: organisationId.describe('The client.'),
  ...ruleFields,
  text: line.describe('The rule in words.'),
});
export type ApprovalRule = z.infer<typeof approvalRule>;

export const protectedAsset = z.object({
  id: z.number().int().describe('Names the entry.'),
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(['device', 'user']).describe('What it is.'),
  value: line.describe('Its name.'),
  reason: line.describe('Why it is protected.'),
  createdBy: line.describe('Who entered it.'),
  createdAt: instant.describe('When.'),
});
export type ProtectedAsset = z.infer<typeof protectedAsset>;

export const approvalPolicy = z.object({
  isSingleOperator: z.boolean().describe('Whether a Host has said that one person runs the installation.'),
  isInEffect: z.boolean().describe('Whether that holds: not once there is a second member of staff.'),
  changedBy: line.describe('Who said so last; empty where nobody has.'),
  changedAt: instant.nullable().describe('When; null where nobody has.'),
});
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

const client = id.describe('The client.');

export const responseRequestsApi = {
  list: endpoint({
    id: 'responseDesk.list',
    method: 'GET',
    path: '/response/:client/:start/:end',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Requests of a client over all cases: those that wait first, then the newest.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Part of a target or device.'),
      state: listOf(z.enum(responseStates)).describe('Only in these states.'),
      action: listOf(z.enum(responseActions)).describe('Only these actions.'),
      caseID: z.coerce.number().int().min(1).max(2_147_483_647).optional().describe('Only of this case.'),
    }),
    answer: results(responseRow, 200).extend({
      states: z
        .array(
          z.object({
            state: z.enum(responseStates).describe('The state.'),
            count: count.describe('How many are in it, whatever states were asked for.'),
          }),
        )
        .max(20)
        .describe('How many there are in each state.'),
    }),
  }),
  get: endpoint({
    id: 'responseDesk.get',
    method: 'GET',
    path: '/response/:id',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'One request with its history.',
    params: z.object({ id: id.describe('The request.') }),
    answer: responseDetail,
  }),
  request: endpoint({
    id: 'responseDesk.request',
    method: 'POST',
    path: '/response',
    allow: 'responses:write',
    freshness: {
      needs: 'fresh',
      fields: { action: ['collectFile', 'killProcess'] },
      also: 'isolate, where the device is a server',
    },
    summary: 'Asks for an answer on a device or account, with or without a case. Asked twice, it is one request.',
    body: z.object({
      clientOrganizationID: client,
      caseID: id.optional().describe('The case it belongs to.'),
      action: z
        .enum(['isolate', 'unisolate', 'blockUser', 'unblockUser', 'killProcess', 'collectFile'])
        .describe('What is to be done.'),
      target: z.string().trim().min(1).max(4_096).describe('The device, the account, the process id or the file’s path.'),
      deviceName: z
        .string()
        .trim()
        .max(255)
        .default('')
        .describe('The device where it is done; empty where the target is the device.'),
      expectedName: z
        .string()
        .trim()
        .max(255)
        .default('')
        .describe('killProcess: the program that must still have that process id.'),
      releaseAfterHours: z
        .number()
        .int()
        .min(1)
        .max(24 * 30)
        .default(24)
        .describe('isolate, blockUser: after how many hours it is undone by itself.'),
      note: note.describe('Why.'),
      acknowledgesWarning,
    }),
    answer: responseRow,
  }),
  approve: endpoint({
    id: 'responseDesk.approve',
    method: 'POST',
    path: '/response/:id/approve',
    allow: 'responses:write',
    freshness: 'fresh',
    summary:
      'Approves a request, or refuses it. Needs a second person: no API key, no account that the requester controls, none of today.',
    params: z.object({ id: id.describe('The request.') }),
    body: z.object({ isApproved: z.boolean().describe('false refuses.'), note: note.describe('Why.') }),
    answer: responseRow,
  }),
  undo: endpoint({
    id: 'responseDesk.undo',
    method: 'POST',
    path: '/response/:id/undo',
    allow: 'responses:write',
    freshness: 'none',
    summary:
      'Takes a request back that was not done yet, or asks for the opposite of one that was. Answers the request that counts now.',
    params: z.object({ id: id.describe('The request.') }),
    body: z.object({ note: note.describe('Why.') }),
    answer: responseRow,
  }),
  getPolicy: endpoint({
    id: 'responseDesk.getPolicy',
    method: 'GET',
    path: '/approvalpolicy',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Whether this installation is run by one person, who may approve their own requests.',
    answer: approvalPolicy,
  }),
  setPolicy: endpoint({
    id: 'responseDesk.setPolicy',
    method: 'PUT',
    path: '/approvalpolicy',
    allow: 'installation:write',
    freshness: 'freshSecondFactor',
    summary: 'Lets the only member of staff approve their own requests, or ends that. Refused while there are several.',
    body: z.object({ isSingleOperator: z.boolean().describe('Whether one person runs the installation.') }),
    answer: approvalPolicy,
  }),
  file: endpoint({
    id: 'responseDesk.file',
    method: 'GET',
    path: '/response/:id/file',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'The collected file, as it was; the portal never opens it.',
    params: z.object({ id: id.describe('The request.') }),
    answers: 'file',
    answer: nothing,
  }),
  listRules: endpoint({
    id: 'responseDesk.listRules',
    method: 'GET',
    path: '/approvalrules/:client',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Who must approve what, for a client; the most special rule counts.',
    params: z.object({ client }),
    answer: results(approvalRule, 200),
  }),
  addRule: endpoint({
    id: 'responseDesk.addRule',
    method: 'POST',
    path: '/approvalrules/:client',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Adds an approval rule; a second one for the same action, type and hours is refused.',
    params: z.object({ client }),
    body: z.object(ruleFields),
    answer: approvalRule,
  }),
  removeRule: endpoint({
    id: 'responseDesk.removeRule',
    method: 'DELETE',
    path: '/approvalrules/:client/:rule',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Takes an approval rule away.',
    params: z.object({ client, rule: id.describe('The rule.') }),
    answer: nothing,
  }),
  listProtected: endpoint({
    id: 'responseDesk.listProtected',
    method: 'GET',
    path: '/protectedassets/:client',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Devices and accounts that are isolated or blocked only after two persons approved.',
    params: z.object({ client }),
    answer: results(protectedAsset, 1_000),
  }),
  addProtected: endpoint({
    id: 'responseDesk.addProtected',
    method: 'POST',
    path: '/protectedassets/:client',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Protects a device or account.',
    params: z.object({ client }),
    body: z.object({
      kind: z.enum(['device', 'user']).describe('What it is.'),
      value: z.string().trim().min(1, 'Say which.').max(255).describe('Its name.'),
      reason: z.string().trim().min(1, 'Say why it is protected.').max(500).describe('Why.'),
    }),
    answer: protectedAsset,
  }),
  removeProtected: endpoint({
    id: 'responseDesk.removeProtected',
    method: 'DELETE',
    path: '/protectedassets/:client/:asset',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Ends the protection of a device or account.',
    params: z.object({ client, asset: id.describe('The entry.') }),
    answer: nothing,
  }),
};
