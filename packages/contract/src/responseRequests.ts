/** Response requests across cases with their steps, approval rules and protected assets. */
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
import { queryParam } from './query.ts';
import { deviceTypes, requestActions } from './rules/values.ts';

const note = z.string().trim().max(2000).default('');

export const responseRow = response.extend({
  clientOrganizationName: name.describe('Client name.'),
  deviceName: line.nullable().describe('Device to execute it on, if not the target.'),
  via: z
    .enum(['agent', 'vendor', 'manual'])
    .describe(
      'agent: executed by the portal’s agent; vendor: by a connected service of the client; manual: by a user, who confirms it.',
    ),
  releaseAt: instant.nullable().describe('Time of the automatic release.'),
  expiresAt: instant.describe('Expiry time of an unfinished request.'),
  approvalsNeeded: count.describe('Outstanding approvals.'),
  mayApprove: z.boolean().describe('True when the caller can approve it now.'),
  approvalRefusal: line
    .nullable()
    .describe('Reason that the caller cannot approve it; null if they can, or if no approval is pending.'),
  mayUndo: z.boolean().describe('True when the caller can cancel or undo it now.'),
});
export type ResponseRow = z.infer<typeof responseRow>;

export const responseDetail = responseRow.extend({
  note: line.describe('Justification.'),
  steps: z
    .array(
      z.object({
        time: instant.describe('Time.'),
        state: z.enum([...responseStates, 'approval', 'refusal', 'note']).describe('State reached, or kind of entry.'),
        actor: line.describe('Actor; empty for the portal or the agent.'),
        detail: line.describe('Comment or observation.'),
      }),
    )
    .max(200)
    .describe('History, oldest first.'),
  rule: line.describe('Applied approval rule, as text; empty without one.'),
  instructions: z.array(line).max(20).describe('Steps of a manual task.'),
  agent: z
    .object({
      agentID: z.number().int().describe('Agent ID.'),
      state: z.enum(['online', 'stale', 'silent', 'revoked']).describe('State.'),
      lastCheckInAt: instant.nullable().describe('Time of the last check-in.'),
      sequence: count.describe('Sequence number of the task for its agent; 0 before dispatch.'),
    })
    .nullable()
    .describe('Executing agent.'),
  vendors: z
    .array(
      z.object({
        place: line.describe('Product and account.'),
        state: z
          .enum(['queued', 'sent', 'verified', 'failed', 'unknown', 'expired'])
          .describe('verified: the vendor’s own state shows the effect; unknown: it doesn’t know the account.'),
        detail: line.describe('Observation, or the vendor’s reason.'),
      }),
    )
    .max(100)
    .describe('Executing connections.'),
  file: z
    .object({
      path: line.describe('Original path.'),
      sha256: z.string().max(64).describe('SHA-256, hexadecimal.'),
      size: count.describe('Size in bytes.'),
      isStored: z.boolean().describe('True when the content is stored.'),
    })
    .nullable()
    .describe('Collected file. The portal never opens it.'),
});
export type ResponseDetail = z.infer<typeof responseDetail>;

/** nobody: no approval; client: the client's administrators; partner: its partner's staff; provider: the provider's staff. */
export const approverKinds = ['nobody', 'client', 'partner', 'provider'] as const;
export const ruleHours = ['always', 'workingHours', 'outsideWorkingHours'] as const;
export const ruleSilences = ['expire', 'approve'] as const;

const ruleFields = {
  action: z.enum(responseActions).nullable().describe('Action; null for all.'),
  deviceType: z.enum(deviceTypes).nullable().describe('Device type of targets; null for all.'),
  hours: z.enum(ruleHours).describe('always, workingHours (Mon–Fri 8–18 in the client’s time zone) or outsideWorkingHours.'),
  approvers: z.enum(approverKinds).describe('Approvers: nobody, client, partner or provider.'),
  persons: z.number().int().min(1).max(2).default(1).describe('Number of approvals required, never by the requester.'),
  silence: z.enum(ruleSilences).default('expire').describe('Effect of no answer: expire or approve.'),
  waitMinutes: z
    .number()
    .int()
    .min(5)
    .max(24 * 60)
    .default(60)
    .describe('Approval window in minutes.'),
};
export const approvalRule = z.object({
  id: z.number().int().describe('Rule ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  ...ruleFields,
  text: line.describe('The rule as text.'),
});
export type ApprovalRule = z.infer<typeof approvalRule>;

export const protectedAsset = z.object({
  id: z.number().int().describe('Entry ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(['device', 'user']).describe('Kind.'),
  value: line.describe('Device or user name.'),
  reason: line.describe('Reason for the protection.'),
  createdBy: line.describe('Author.'),
  createdAt: instant.describe('Creation time.'),
});
export type ProtectedAsset = z.infer<typeof protectedAsset>;

export const approvalPolicy = z.object({
  isSingleOperator: z.boolean().describe('True when a Host has declared a single-operator installation.'),
  isInEffect: z.boolean().describe('True when in effect; ends with a second member of staff.'),
  changedBy: line.describe('Author of the last change; empty without one.'),
  changedAt: instant.nullable().describe('Time of the last change; null without one.'),
});
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

const client = id.describe('The client.');

export const responseRequestsApi = {
  list: endpoint({
    id: 'responseDesk.list',
    route: 'GET /response/:client/:start/:end',
    allow: 'responses:read',
    freshness: 'none',
    summary:
      'Lists the response requests of a client over all cases: pending ones of any time first, then the newest of the timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Substring of a target or device.'),
      state: listOf(z.enum(responseStates)).describe('Filter by state.'),
      action: listOf(z.enum(responseActions)).describe('Filter by action.'),
      caseID: z.coerce.number().int().min(1).max(2_147_483_647).optional().describe('Filter by case.'),
      query: queryParam('response'),
    }),
    answer: results(responseRow, 200).extend({
      states: z
        .array(
          z.object({
            state: z.enum(responseStates).describe('State.'),
            count: count.describe('Number per state, regardless of the filter.'),
          }),
        )
        .max(20)
        .describe('Number per state.'),
    }),
  }),
  get: endpoint({
    id: 'responseDesk.get',
    route: 'GET /response/:id',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Returns one request with its history.',
    params: z.object({ id: id.describe('Request ID.') }),
    answer: responseDetail,
  }),
  request: endpoint({
    id: 'responseDesk.request',
    route: 'POST /response',
    allow: 'responses:write',
    freshness: {
      needs: 'fresh',
      fields: { action: ['collectFile', 'killProcess', 'resetFactors'] },
      also: 'isolate, where the device is a server',
    },
    summary: 'Requests a response on a device or account, with or without a case. A repeated request returns the existing one.',
    body: z.object({
      clientOrganizationID: client,
      caseID: id.optional().describe('Case ID; omit without a case.'),
      action: z.enum(requestActions).describe('Requested action.'),
      target: z
        .string()
        .trim()
        .min(1)
        .max(4_096)
        .describe(
          'Device, account, process ID or file path. Sessions and factors are those of a sign-in name such as ada@acme.example.',
        ),
      deviceName: z
        .string()
        .trim()
        .max(255)
        .default('')
        .describe('Device to execute it on; empty when the target is the device.'),
      expectedName: z
        .string()
        .trim()
        .max(255)
        .default('')
        .describe('killProcess: name of the program that must still have that process ID.'),
      releaseAfterHours: z
        .number()
        .int()
        .min(1)
        .max(24 * 30)
        .default(24)
        .describe('isolate, blockUser: hours until the automatic release.'),
      note: note.describe('Justification.'),
      acknowledgesWarning,
    }),
    answer: responseRow,
  }),
  approve: endpoint({
    id: 'responseDesk.approve',
    route: 'POST /response/:id/approve',
    allow: 'responses:write',
    freshness: 'fresh',
    summary:
      'Approves or refuses a request. Requires a second person: no API key, no account controlled by the requester, no account created today.',
    params: z.object({ id: id.describe('Request ID.') }),
    body: z.object({
      isApproved: z.boolean().describe('false refuses the request.'),
      note: note.describe('Comment on the decision.'),
    }),
    answer: responseRow,
  }),
  undo: endpoint({
    id: 'responseDesk.undo',
    route: 'POST /response/:id/undo',
    allow: 'responses:write',
    freshness: 'none',
    summary: 'Cancels a pending request, or requests the reverse of a completed one. Returns the request in effect.',
    params: z.object({ id: id.describe('Request ID.') }),
    body: z.object({ note: note.describe('Comment.') }),
    answer: responseRow,
  }),
  getPolicy: endpoint({
    id: 'responseDesk.getPolicy',
    route: 'GET /approvalpolicy',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Returns the single-operator setting, which allows self-approval.',
    answer: approvalPolicy,
  }),
  setPolicy: endpoint({
    id: 'responseDesk.setPolicy',
    route: 'PUT /approvalpolicy',
    allow: 'installation:write',
    freshness: 'freshSecondFactor',
    summary: 'Allows the only member of staff to approve their own requests, or revokes that. Refused with several members.',
    body: z.object({ isSingleOperator: z.boolean().describe('True for a single-operator installation.') }),
    answer: approvalPolicy,
  }),
  file: endpoint({
    id: 'responseDesk.file',
    route: 'GET /response/:id/file',
    allow: 'responses:write',
    freshness: 'none',
    sensitive: 'evidence',
    summary: 'Downloads the collected file unchanged. The portal never opens it.',
    params: z.object({ id: id.describe('Request ID.') }),
    answers: 'file',
    answer: nothing,
  }),
  listRules: endpoint({
    id: 'responseDesk.listRules',
    route: 'GET /approvalrules/:client',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Lists the approval rules of a client. The most specific rule applies.',
    params: z.object({ client }),
    answer: results(approvalRule, 200),
  }),
  addRule: endpoint({
    id: 'responseDesk.addRule',
    route: 'POST /approvalrules/:client',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Creates an approval rule. A second one for the same action, type and hours is refused.',
    params: z.object({ client }),
    body: z.object(ruleFields),
    answer: approvalRule,
  }),
  removeRule: endpoint({
    id: 'responseDesk.removeRule',
    route: 'DELETE /approvalrules/:client/:rule',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Deletes an approval rule.',
    params: z.object({ client, rule: id.describe('Rule ID.') }),
    answer: nothing,
  }),
  listProtected: endpoint({
    id: 'responseDesk.listProtected',
    route: 'GET /protectedassets/:client',
    allow: 'responses:read',
    freshness: 'none',
    summary: 'Lists protected devices and accounts, which require two approvals to isolate or block.',
    params: z.object({ client }),
    answer: results(protectedAsset, 1_000),
  }),
  addProtected: endpoint({
    id: 'responseDesk.addProtected',
    route: 'POST /protectedassets/:client',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Protects a device or account.',
    params: z.object({ client }),
    body: z.object({
      kind: z.enum(['device', 'user']).describe('Kind.'),
      value: z.string().trim().min(1, 'Enter a device or user.').max(255).describe('Device or user name.'),
      reason: z.string().trim().min(1, 'Enter a reason.').max(500).describe('Reason.'),
    }),
    answer: protectedAsset,
  }),
  removeProtected: endpoint({
    id: 'responseDesk.removeProtected',
    route: 'DELETE /protectedassets/:client/:asset',
    allow: 'approvalRules:write',
    freshness: 'fresh',
    summary: 'Removes the protection of a device or account.',
    params: z.object({ client, asset: id.describe('Protected asset ID.') }),
    answer: nothing,
  }),
};
