/** Response requests over all cases, as the Response page lists them. */

import type { Response } from '@parapet/contract/caseDetail.ts';
import type { approverKinds } from '@parapet/contract/responseRequests.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownOf } from '../../identities.ts';
import { done, holdingActions, pending } from '../../responseStates.ts';
import { column, inScope, minutesBetween, nameKey, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import { deviceAttributes, namesOfDevices } from '../deviceNames.ts';
import { isPerson, personName } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

type Row = RawBuilder<unknown>;

const actionWords: Record<Response['action'], readonly string[]> = {
  isolate: wordsOf(
    'isolate, isolation, isolated, isolating, quarantine, quarantined, network isolation, cut off, device isolation, machine isolation, host isolation, endpoint isolation, isolation request, quarantining',
  ),
  unisolate: ['unisolate', 'release from isolation', 'unisolated', 'unisolation', 'released from isolation', 'unquarantine'],
  blockUser: wordsOf(
    'block user, user block, account block, lock account, account lock, blocking of users, user blocking, account blocking',
  ),
  unblockUser: ['unblock user', 'unblocked user', 'account unblock', 'unlock account'],
  block: ['block', 'blocked', 'blocking', 'ip block', 'address block'],
  unblock: ['unblock', 'unblocked', 'unblocking'],
  disable: ['disable', 'disabled', 'disabling', 'account disabled'],
  reenable: ['reenable', 'reenabled', 're-enable', 're-enabled', 'enable again'],
  killProcess: wordsOf(
    'kill process, killed process, process kill, process ended, end process, terminated process, killed, processes killed, process termination',
  ),
  collectFile: wordsOf(
    'collect file, collected file, file collection, file collected, fetched file, file, file grab, file fetch',
  ),
  revokeSessions: wordsOf(
    'revoke sessions, revoked sessions, session revocation, sessions revoked, ended sessions, revocation of sessions, sign out everywhere',
  ),
  resetFactors: wordsOf(
    'reset factors, factor reset, factors reset, mfa reset, reset mfa, reset second factor, reset of factors',
  ),
};

const stateWords: Record<Response['state'], readonly string[]> = {
  requested: wordsOf(
    'requested, waiting for approval, awaiting approval, unapproved, not approved, pending approval, need approval, wait for approval, waiting on approval, waiting to be approved, to be approved, needing approval, that wait for my approval, waiting for my approval, awaiting my approval, need my approval, needing my approval, i have to approve, i need to approve, i should approve, awaiting sign-off, awaiting sign off, not yet approved, still to be approved, waiting for a yes, unconfirmed, awaiting a decision, awaiting blessing, waiting for sign-off',
  ),
  approved: ['approved'],
  sent: ['sent', 'dispatched', 'on the way'],
  acknowledged: ['acknowledged', 'confirmed', 'reported done'],
  verified: ['verified', 'seen done'],
  failed: wordsOf(
    'failed, failing, errored, did not work, didnt work, not successful, unsuccessful, went wrong, gone wrong, broke, fell over, flopped, with a failure, errored out, fail, fails, flop, flops, did fail',
  ),
  expired: wordsOf('expired, timed out, ran out, lapsed, went stale, timed-out, never approved in time, not approved in time'),
  released: ['released', 'cancelled', 'canceled', 'withdrawn', 'taken back', 'rolled back'],
};

const approverWords: Record<(typeof approverKinds)[number], readonly string[]> = {
  nobody: ['no approval needed', 'without an approval', 'without approval', 'approved by nobody'],
  client: ['client', 'client administrator', 'customer'],
  partner: ['partner', 'partner staff'],
  provider: ['provider', 'soc', 'host'],
};

const anyOf = (row: Row, name: string, values: readonly string[]) =>
  sql<boolean>`${column(row, name)} = any(${[...values]}::text[])`;
const userActions = ['blockUser', 'unblockUser', 'disable', 'reenable'] as const satisfies Response['action'][];
const holding = Object.values(holdingActions).flat();

/** The device to act on: the target of an isolation, otherwise the device that was named with it. */
const device = (row: Row) =>
  sql`case when ${anyOf(row, 'action', ['isolate', 'unisolate'])} then ${row}.target else ${row}.device_name end`;
const deviceType = (
  row: Row,
) => sql`(select coalesce(m.device_type, d.device_type) from devices d left join devices m on m.id = d.merged_into
  where d.organisation_id = ${row}.organisation_id and d.name_key = lower(${device(row)}) limit 1)`;
const requester = { id: 'requested_by', name: 'requested_by_name' };
const user = (row: Row) => sql`case when ${anyOf(row, 'action', userActions)} then ${row}.target end`;

export const responseSchema: EntitySchema = {
  entity: 'response',
  title: ['response', 'responses'],
  words: wordsOf(
    'response, response request, action, response action, countermeasure, containment, request, response action request, remediation, containment action, countermeasure action, responder action, remediation action',
  ),
  allow: 'responses:read',
  named: 'target',
  from: (row) => sql`responses ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'requestedTime',
  attributes: {
    requestedTime: {
      type: 'time',
      title: 'requested',
      words: ['request time', 'time of the request'],
      verbs: wordsOf(
        'requested, asked, ordered, triggered, started, made, created, launched, initiated, asked for, submitted, done, carried out, executed, performed, run, took place, taken, happened, issued, fired off',
      ),
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: of('requested_at'),
    },
    ...organisationAttributes(),
    action: {
      type: 'choice',
      choices: actionWords,
      title: 'action',
      words: ['kind', 'type', 'action type', 'kind of action', 'type of action', 'measure', 'kind of response', 'response type'],
      isShown: true,
      sql: of('action'),
    },
    target: { type: 'text', title: 'target', words: ['target', 'on what', 'object'], isShown: true, sql: of('target') },
    device: {
      ...deviceAttributes().device,
      sql: device,
      matches: (row, context, values) => sql<boolean>`${device(row)} = any(${namesOfDevices(values, context)})`,
    },
    deviceType: { ...deviceAttributes().deviceType, sql: deviceType },
    user: {
      type: 'name',
      names: 'user',
      title: 'user',
      words: ['user', 'account', 'username', 'login'],
      sql: user,
    },
    state: {
      type: 'choice',
      choices: stateWords,
      title: 'state',
      words: ['state', 'status', 'progress', 'result', 'outcome'],
      isShown: true,
      sql: of('state'),
    },
    isPending: {
      type: 'flag',
      title: 'pending',
      words: ['pending request'],
      yes: wordsOf(
        'pending, unfinished, in progress, outstanding, not finished, still waiting, waiting, underway, open, still open',
      ),
      no: ['finished', 'ended', 'over', 'completed or failed'],
      sql: (row) => anyOf(row, 'state', pending),
    },
    isDone: {
      type: 'flag',
      title: 'done',
      words: ['success'],
      yes: ['done', 'worked', 'successful', 'succeeded', 'completed', 'carried out', 'executed', 'effective'],
      no: ['not done', 'not completed'],
      sql: (row) => anyOf(row, 'state', done),
    },
    isUnsuccessful: {
      type: 'flag',
      title: 'failed or expired',
      words: ['failure'],
      yes: [
        "didn't work",
        'didnt work',
        'did not work',
        'unsuccessful',
        'not successful',
        'went wrong',
        "haven't worked",
        'not worked',
        'failed or expired',
      ],
      sql: (row) => anyOf(row, 'state', ['failed', 'expired']),
    },
    isInForce: {
      type: 'flag',
      title: 'in force',
      words: ['hold'],
      yes: wordsOf(
        'in force, in effect, still in place, holding, still isolated, still blocked, not undone, currently isolated, not lifted, not released, still active, active',
      ),
      no: ['no longer in force', 'lifted', 'not in force', 'undone', 'reverted'],
      sql: (row) => sql`${anyOf(row, 'state', done)} and ${anyOf(row, 'action', holding)}`,
    },
    via: {
      type: 'choice',
      choices: {
        agent: ['agent', 'by the agent', 'automatic', 'automatically', 'by agent'],
        vendor: ['vendor', 'by the vendor', 'by vendor', 'by a connection', 'by connection', 'connected service', 'by edr'],
        manual: ['manual', 'by hand', 'manually', 'by a person', 'by a human', 'by people'],
      },
      title: 'executed by',
      words: ['executed by', 'execution', 'way', 'how'],
      isShown: true,
      sql: (row) =>
        sql`case when ${row}.is_manual then 'manual' when ${row}.is_by_vendor and ${row}.agent_id is null then 'vendor' else 'agent' end`,
    },
    requestedBy: {
      type: 'name',
      names: 'account',
      title: 'requested by',
      words: ['requester', 'requested by', 'who requested', 'who asked', 'asker', 'initiator'],
      isShown: true,
      sql: (row, context) => personName(row, requester, context),
      matches: (row, context, values) => isPerson(row, requester, context, values),
    },
    isMine: {
      type: 'flag',
      title: 'requested by me',
      words: ['own request'],
      yes: ['mine', 'my', 'i requested', 'i asked', 'requested by me'],
      no: ['not mine', 'not by me'],
      sql: isViewer('requested_by'),
    },
    approvalsNeeded: {
      type: 'number',
      title: 'outstanding approvals',
      words: ['approval', 'outstanding approval', 'missing approval', 'approval needed'],
      sql: (row) => sql`case when ${row}.state = 'requested' then greatest(0, ${row}.approvals_needed
        - (select count(*) from response_approvals p where p.response_id = ${row}.id and p.is_approved))::integer else 0 end`,
    },
    approvers: {
      type: 'choice',
      choices: approverWords,
      title: 'approvers',
      words: ['approver', 'who approves', 'who must approve', 'who needs to approve', 'who needs to ok', 'who needs to ok them'],
      sql: of('approver_kind'),
    },
    case: {
      type: 'number',
      title: 'case',
      words: ['case', 'case number', 'incident', 'case id'],
      column: 'caseID',
      sql: of('case_id'),
    },
    changedTime: {
      type: 'time',
      title: 'last change',
      words: ['last change', 'change', 'update'],
      verbs: ['changed', 'updated', 'finished', 'completed', 'verified', 'failed', 'expired', 'done'],
      sql: of('changed_at'),
    },
    duration: {
      type: 'number',
      unit: 'minutes',
      title: 'time from request to last change',
      words: ['duration', 'time taken', 'response time', 'time to finish'],
      superlatives: { most: ['slowest', 'longest'], least: ['fastest', 'quickest'] },
      sql: (row) => minutesBetween(column(row, 'requested_at'), column(row, 'changed_at')),
    },
    releaseAt: {
      type: 'time',
      title: 'automatic release',
      words: ['automatic release', 'release', 'release time'],
      verbs: ['being released', 'releasing', 'ending automatically'],
      sql: of('release_at'),
    },
    expiresAt: {
      type: 'time',
      title: 'expires',
      words: ['expiry', 'expiry time', 'deadline'],
      verbs: ['expiring', 'expire'],
      sql: of('expires_at'),
    },
    detail: { type: 'text', title: 'detail', words: ['detail', 'failure reason', 'reason', 'why'], sql: of('detail') },
    text: {
      type: 'text',
      title: 'target or device',
      words: ['text', 'keyword'],
      sql: (row) => sql`concat_ws(chr(10), ${row}.target, ${row}.device_name)`,
    },
    ...timeParts(of('requested_at') as (row: Row) => Row),
  },
  keys: {
    response: { sql: (row) => sql`${row}.id::text` },
    case: { sql: (row) => sql`${row}.case_id::text` },
    device: { sql: (row) => nameKey(row, device(row)) },
    user: { sql: (row) => nameKey(row, shownOf(row, user(row))) },
    client: clientKey,
  },
  list: { page: 'response', path: ({ id, organisationId }) => `/apps/response/${id}?client=${organisationId}` },
  order: { field: 'requestedTime', isAscending: false },
};
