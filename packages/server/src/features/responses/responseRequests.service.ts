/** The page of responses: requests over all cases, who approves them, what undoes them, and what a client's rules say (decisions 14–15). */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type {
  ApprovalPolicy,
  ApprovalRule,
  ProtectedAsset,
  ResponseDetail,
  ResponseRow,
  responseRequestsApi,
} from '@parapet/contract/responseRequests.ts';
import type { z } from 'zod';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { collectedKey } from '../agents/agentTasks.service.ts';
import { type CaseRecord, lockCase } from '../cases/cases.changes.ts';
import { agentOf, approvalRefusal, isUndoable, shownAsset, shownPolicy, shownRow, shownRule } from './responseRequests.rows.ts';
import {
  countOf,
  countStaff,
  findFile,
  findPolicy,
  findResponseRequest,
  insertApproval,
  insertAsset,
  insertRule,
  listAssets,
  listResponseRequests,
  listRules,
  listSteps,
  type ResponseRequestRecord,
  removeAsset,
  removeRule,
  updatePolicy,
} from './responseRequests.store.ts';
import type { Ledger, ResponseRequest } from './responses.ledger.ts';
import { instructionsFor, kindOf, textOf } from './responses.rules.ts';
import { findArtifact, findDeviceOfCase, findUserOfCase, insertStep, isPending } from './responses.store.ts';
import { findDevice, listAgentTasks, listTargetDevices } from './responses.targets.ts';

const maxRules = 200;
const maxAssets = 1_000;
/** What names a request must fit into the index that keeps it from being made twice. */
const maxTargetBytes = 2_000;

type Input<E extends keyof typeof responseRequestsApi, P extends 'body' | 'query' | 'params'> = z.output<
  (typeof responseRequestsApi)[E][P]
>;

export type ResponseRequestsService = ReturnType<typeof createResponseRequestsService>;

export function createResponseRequestsService({
  db,
  clock,
  ledger,
  blobs,
  keyOfFile,
}: {
  db: Database;
  clock: Clock;
  ledger: Ledger;
  blobs: Pick<Blobs, 'get'>;
  keyOfFile: typeof collectedKey;
}) {
  const inTurn = <T>(scope: Scope, work: (tx: Tx) => Promise<T>) => retrying(() => scoped(db, scope, work));

  const readerOf = ({ userId }: Actor) => ({ userId, now: new Date(clock.now()) });
  const getResponseRequest = async (tx: Tx, actor: Actor, id: number): Promise<ResponseRequestRecord> => {
    const found = await findResponseRequest(tx, scopeOf(actor), readerOf(actor), id);
    if (!found) throw problem.notFound('response', id);
    return found;
  };
  const rowOf = async (tx: Tx, actor: Actor, id: number): Promise<ResponseRow> =>
    shownRow(await getResponseRequest(tx, actor, id), actor);

  /** The wish with its device and account as the portal knows them. */
  const resolved = async (tx: Tx, record: CaseRecord | undefined, body: Input<'request', 'body'>): Promise<ResponseRequest> => {
    const { clientOrganizationID: organisationId, action, target, deviceName, expectedName, releaseAfterHours, note } = body;
    const known = async (field: 'target' | 'deviceName', name: string): Promise<string> => {
      const found = (await findDevice(tx, organisationId, name)) ?? (record && (await findDeviceOfCase(tx, record, name)));
      if (found === undefined)
        throw problem.invalid({
          [field]: [`There is no device "${name}" of this client${record ? ', and none in this case' : ''}.`],
        });
      return found;
    };
    if (Buffer.byteLength(`${target}${deviceName}`.toLowerCase()) > maxTargetBytes)
      throw problem.invalid({ target: [`This is too long: at most ${maxTargetBytes} bytes with the device’s name.`] });
    if (/\p{Cc}/u.test(target)) throw problem.invalid({ target: ['Write this on one line, without control characters.'] });
    const { acknowledgesWarning } = body;
    const wish = { organisationId, action, expectedName, releaseHours: releaseAfterHours, note, acknowledgesWarning };
    if (kindOf({ action }).flag === 'deviceIsolated') return { ...wish, target: await known('target', target) };
    const device = deviceName === '' ? null : await known('deviceName', deviceName);
    if (action === 'blockUser' || action === 'unblockUser') {
      const seen = record && ((await findUserOfCase(tx, record, target)) ?? (await findArtifact(tx, record, target, ['user'])));
      return { ...wish, target: seen ?? target, deviceName: device };
    }
    if (device === null) throw problem.invalid({ deviceName: ['Say on which device.'] });
    if (action === 'killProcess' && !/^[1-9]\d{0,9}$/.test(target))
      throw problem.invalid({ target: ['Give the process id, a number.'] });
    if (action === 'killProcess' && expectedName === '')
      throw problem.invalid({ expectedName: ['Say which program must have that process id, so that no other is ended.'] });
    if (action === 'collectFile' && !target.startsWith('/') && !/^[A-Za-z]:\\/.test(target))
      throw problem.invalid({ target: ['Give the whole path of the file, such as /var/log/auth.log.'] });
    return { ...wish, target, deviceName: device };
  };

  return {
    async list(
      actor: Actor,
      { client, ...range }: Input<'list', 'params'>,
      query: Input<'list', 'query'>,
    ): Promise<AnswerOf<typeof responseRequestsApi.list>> {
      const scope = scopeFor(actor, client);
      const { rows, total, states } = await scoped(
        db,
        scope,
        (tx) => listResponseRequests(tx, scope, readerOf(actor), { ...range, ...query }),
        {
          readOnly: true,
        },
      );
      return {
        results: rows.map((row) => shownRow(row, actor)),
        total,
        states: states as AnswerOf<typeof responseRequestsApi.list>['states'],
      };
    },

    async get(actor: Actor, id: number): Promise<ResponseDetail> {
      const scope = scopeOf(actor);
      return scoped(
        db,
        scope,
        async (tx) => {
          const row = await getResponseRequest(tx, actor, id);
          const record =
            row.case_id === null
              ? undefined
              : await tx
                  .selectFrom('cases')
                  .selectAll()
                  .where('organisation_id', '=', row.organisation_id)
                  .where('id', '=', row.case_id)
                  .executeTakeFirst();
          const [steps, tasks, file, places] = [
            await listSteps(tx, scope, id),
            await listAgentTasks(tx, row),
            await findFile(tx, scope, id),
            await listTargetDevices(tx, record, row),
          ];
          return {
            ...shownRow(row, actor),
            note: row.note,
            steps,
            rule: row.rule_text,
            instructions: row.is_manual ? instructionsFor(row, places[0]) : [],
            agent: agentOf(tasks.at(-1), clock.now()),
            file: file
              ? { path: file.path.slice(0, 2000), sha256: file.sha256, size: Number(file.size), isStored: file.is_stored }
              : null,
          };
        },
        { readOnly: true },
      );
    },

    async request(actor: Actor, body: Input<'request', 'body'>): Promise<ResponseRow> {
      scopeFor(actor, body.clientOrganizationID);
      // The whole scope: how much one person may isolate at once is counted over all clients.
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const record =
          body.caseID === undefined
            ? undefined
            : await lockCase(tx, { organisationIds: [body.clientOrganizationID] }, body.caseID);
        const { response } = await ledger.ask(tx, actor, record, await resolved(tx, record, body));
        return rowOf(tx, actor, response.id);
      });
    },

    async approve(actor: Actor, id: number, { isApproved, note }: Input<'approve', 'body'>): Promise<ResponseRow> {
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const locked = await ledger.lock(tx, scope, id);
        if (!locked) throw problem.notFound('response', id);
        const { record, response, undoes } = locked;
        const row = await getResponseRequest(tx, actor, id);
        // Said twice, it counts once.
        if (isApproved && row.has_approved) return shownRow(row, actor);
        if (response.state !== 'requested' || response.approvals_needed === 0)
          throw problem.conflict(`Response ${id} does not wait for approval: it is ${response.state}.`);
        const refusal = approvalRefusal(row, actor);
        if (refusal !== undefined) throw problem.forbidden(refusal);
        const at = new Date(clock.now());
        const isFirst = await insertApproval(tx, {
          organisation_id: response.organisation_id,
          response_id: id,
          user_id: actor.userId,
          user_name: actor.displayName,
          is_approved: isApproved,
          note,
          at,
        });
        await insertStep(tx, response, { state: isApproved ? 'approval' : 'refusal', at, by: actor, detail: note });
        if (!isApproved) await ledger.giveUp(tx, actor, record, response, 'failed', `It was refused${note ? `: ${note}` : '.'}`);
        else if (row.approvals + (isFirst ? 1 : 0) >= response.approvals_needed)
          await ledger.approve(tx, actor, record, response, undoes);
        else
          await ledger.tell(tx, actor, record, response, {
            action: 'response.approvedByOne',
            text: `${textOf(response)} approved by one of ${response.approvals_needed}`,
            after: { id, note },
          });
        return rowOf(tx, actor, id);
      });
    },

    async undo(actor: Actor, id: number, { note }: Input<'undo', 'body'>): Promise<ResponseRow> {
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const locked = await ledger.lock(tx, scope, id);
        if (!locked) throw problem.notFound('response', id);
        const { record, response } = locked;
        const { opposite, isUndo } = kindOf(response);
        if (response.state === 'released') return rowOf(tx, actor, id);
        const opposed = () =>
          ledger.ask(tx, actor, record, {
            organisationId: response.organisation_id,
            action: opposite!,
            target: response.target,
            deviceName: response.device_name,
            note,
            undoes: response,
          });
        if (isPending(response)) {
          const isUnderWay = (await listAgentTasks(tx, response)).some(({ state }) => state !== 'queued');
          if (isUnderWay && !opposite)
            throw problem.conflict(`Response ${id} was given to its agent already, and nothing undoes it.`);
          // Taken back by its opposite, which the agent gets after it.
          if (isUnderWay) return rowOf(tx, actor, (await opposed()).response.id);
          await ledger.takeBack(tx, actor, response, note || 'It was taken back.');
          await ledger.tell(tx, actor, record, response, {
            action: 'response.takenBack',
            text: `${textOf(response)} taken back${note ? `: ${note}` : ''}`,
            before: { id, state: response.state },
            after: { id, state: 'released', note },
          });
          return rowOf(tx, actor, id);
        }
        if (!isUndoable(response))
          throw problem.conflict(
            isUndo
              ? `Response ${id} undid something itself. Ask anew for what is needed.`
              : `Response ${id} is ${response.state}: there is nothing to undo.`,
          );
        return rowOf(tx, actor, (await opposed()).response.id);
      });
    },

    /** Bytes as the agent brought them; whoever takes them leaves a row in the audit log. */
    async file(actor: Actor, id: number): Promise<FileAnswer> {
      const scope = scopeOf(actor);
      const file = await scoped(db, scope, async (tx) => {
        const row = await getResponseRequest(tx, actor, id);
        const found = await findFile(tx, scope, id);
        if (!found?.is_stored)
          throw problem.conflict(`Response ${id} has brought no file${found ? ' yet; try again in a moment' : ''}.`);
        await recordAudit(tx, actor, {
          action: 'response.fileTaken',
          organisationId: row.organisation_id,
          target: String(id),
          after: { path: found.path, sha256: found.sha256 },
        });
        return found;
      });
      const bytes = await blobs.get(keyOfFile({ organisationId: file.organisation_id, id: file.task_id }));
      if (!bytes) throw problem.conflict(`The file of response ${id} is not in the store any more.`);
      // Named as what it is not, so that nothing opens it by a click.
      const name = file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1).slice(0, 100) || 'file';
      return { type: 'application/octet-stream', bytes, downloadName: `${name}.collected` };
    },

    async getPolicy(actor: Actor): Promise<ApprovalPolicy> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => shownPolicy(await findPolicy(tx, scope)), { readOnly: true });
    },

    async setPolicy(actor: Actor, { isSingleOperator }: Input<'setPolicy', 'body'>): Promise<ApprovalPolicy> {
      return scoped(db, 'system', async (tx) => {
        const before = await findPolicy(tx, scopeOf(actor));
        const staff = await countStaff(tx);
        if (isSingleOperator && staff > 1)
          throw problem.conflict(
            `${staff} members of staff may respond here, so a second person can approve. This is for an installation of one.`,
          );
        await updatePolicy(tx, isSingleOperator, actor, new Date(clock.now()));
        await recordAudit(tx, actor, {
          action: 'approvalPolicy.changed',
          organisationId: actor.organisationId,
          before: { isSingleOperator: before.is_single_operator },
          after: { isSingleOperator },
        });
        return shownPolicy(await findPolicy(tx, scopeOf(actor)));
      });
    },

    async listRules(actor: Actor, client: number): Promise<AnswerOf<typeof responseRequestsApi.listRules>> {
      const scope = scopeFor(actor, client);
      const rows = await scoped(db, scope, (tx) => listRules(tx, scope, client), { readOnly: true });
      return { results: rows.map(shownRule), total: rows.length };
    },

    async addRule(actor: Actor, client: number, body: Input<'addRule', 'body'>): Promise<ApprovalRule> {
      return scoped(db, scopeFor(actor, client), async (tx) => {
        if ((await countOf(tx, 'approval_rules', client)) >= maxRules)
          throw problem.conflict(`A client has at most ${maxRules} approval rules. Take one away first.`);
        const { action, deviceType, hours, approvers, persons, silence, waitMinutes } = body;
        const rule = await insertRule(tx, {
          organisation_id: client,
          action,
          device_type: deviceType,
          hours,
          approvers,
          persons,
          silence,
          wait_minutes: waitMinutes,
          created_by: actor.userId,
          created_at: new Date(clock.now()),
        });
        if (!rule)
          throw problem.conflict(
            'There is a rule for the same action, type and hours already. Take it away first, or choose others.',
          );
        await recordAudit(tx, actor, {
          action: 'approvalRule.added',
          organisationId: client,
          target: String(rule.id),
          after: body,
        });
        return shownRule(rule);
      });
    },

    async removeRule(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const gone = await removeRule(tx, scope, client, id);
        if (!gone) throw problem.notFound('approval rule', id);
        await recordAudit(tx, actor, {
          action: 'approvalRule.removed',
          organisationId: client,
          target: String(id),
          before: shownRule(gone),
        });
      });
    },

    async listProtected(actor: Actor, client: number): Promise<AnswerOf<typeof responseRequestsApi.listProtected>> {
      const scope = scopeFor(actor, client);
      const rows = await scoped(db, scope, (tx) => listAssets(tx, scope, client), { readOnly: true });
      return { results: rows.map(shownAsset), total: rows.length };
    },

    async addProtected(actor: Actor, client: number, body: Input<'addProtected', 'body'>): Promise<ProtectedAsset> {
      return scoped(db, scopeFor(actor, client), async (tx) => {
        if ((await countOf(tx, 'protected_assets', client)) >= maxAssets)
          throw problem.conflict(`A client has at most ${maxAssets} protected assets. Take one away first.`);
        const asset = await insertAsset(tx, {
          organisation_id: client,
          ...body,
          created_by: actor.userId,
          created_by_name: actor.displayName,
          created_at: new Date(clock.now()),
        });
        if (!asset) throw problem.conflict(`The ${body.kind} "${body.value}" is protected already.`);
        await recordAudit(tx, actor, {
          action: 'asset.protected',
          organisationId: client,
          target: String(asset.id),
          after: body,
        });
        return shownAsset(asset);
      });
    },

    async removeProtected(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const gone = await removeAsset(tx, scope, client, id);
        if (!gone) throw problem.notFound('protected asset', id);
        const { kind, value, reason } = gone;
        await recordAudit(tx, actor, {
          action: 'asset.unprotected',
          organisationId: client,
          target: String(id),
          before: { kind, value, reason },
        });
      });
    },
  };
}
