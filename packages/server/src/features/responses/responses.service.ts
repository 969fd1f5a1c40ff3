/** What people ask for from a case, and confirm, about devices and accounts (decisions 13–15), and what the clock does about the ledger. */
import type { CaseTask, Response } from '@parapet/contract/caseDetail.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { duplicateTaskText, type responsesApi } from '@parapet/contract/responses.ts';
import { type TaskAction, taskText } from '@parapet/contract/rules/cases.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit } from '../../domain/audit.ts';
import { lockCase, recordCaseHistory } from '../cases/cases.changes.ts';
import type { Ledger } from './responses.ledger.ts';
import { createReports } from './responses.reports.ts';
import { actions, kindOf } from './responses.rules.ts';
import {
  consumeBlockToken,
  dropBlockTokens,
  findArtifact,
  findDeviceOfCase,
  findUserOfCase,
  insertBlockToken,
  insertTask,
  isAutonomous,
  isPending,
  listDue,
  listTasks,
  lockTasks,
  showResponse,
  updateResponse,
  updateTask,
} from './responses.store.ts';

const tokenMs = 2 * 60_000;
const oldTokenMs = 24 * 3_600_000;
const maxTasks = 100;

export type ResponsesService = ReturnType<typeof createResponsesService>;

export function createResponsesService({ db, clock, ledger }: { db: Database; clock: Clock; ledger: Ledger }) {
  const now = () => new Date(clock.now());
  /** Requests of one target meet from several cases: whoever loses does it again. */
  const inTurn = <T>(scope: Scope, work: (tx: Tx) => Promise<T>) => retrying(() => scoped(db, scope, work));

  /** One after the other; what fails does not keep the others waiting. */
  const each = async (due: Parameters<typeof listDue>[2], work: (tx: Tx, found: Locked) => Promise<unknown>): Promise<void> => {
    const faults: unknown[] = [];
    for (const { id } of await scoped(db, 'system', (tx) => listDue(tx, now(), due), { readOnly: true }))
      await inTurn('system', async (tx) => {
        const found = await ledger.lock(tx, 'system', id);
        if (found) await work(tx, found);
      }).catch((error) => faults.push(error));
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, 'Several responses failed.');
  };

  return {
    ...createReports({ clock, ledger }),

    async isolateHost(
      actor: Actor,
      {
        caseID,
        deviceID,
        isIsolated,
        acknowledgesWarning,
      }: { caseID: number; deviceID: string; isIsolated: boolean; acknowledgesWarning?: boolean },
    ): Promise<AnswerOf<typeof responsesApi.isolateHost>> {
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const target = await findDeviceOfCase(tx, record, deviceID);
        if (target === undefined) throw problem.notFound('device in the alerts of this case named', deviceID);
        const { response } = await ledger.ask(tx, actor, record, {
          organisationId: record.organisation_id,
          action: isIsolated ? 'isolate' : 'unisolate',
          target,
          acknowledgesWarning,
        });
        return { isolateResult: true, response: await showResponse(tx, scope, response) };
      });
    },

    /** Decision 13: the path is a capability. */
    async issueBlockToken(
      actor: Actor,
      { caseID, userID }: { caseID: number; userID: string },
    ): Promise<AnswerOf<typeof responsesApi.issueBlockToken>> {
      const scope = scopeOf(actor);
      const token = newToken();
      const expiresAt = new Date(clock.now() + tokenMs);
      await scoped(db, scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const name = await findUserOfCase(tx, record, userID);
        if (name === undefined) throw problem.notFound('user in the alerts of this case named', userID);
        await insertBlockToken(tx, {
          token_hash: hashOfToken(token),
          organisation_id: record.organisation_id,
          case_id: record.id,
          actor_user_id: actor.userId,
          user_name: name,
          expires_at: expiresAt,
        });
        await recordAudit(tx, actor, {
          action: 'response.pathIssued',
          organisationId: record.organisation_id,
          target: String(record.id),
          after: { user: name },
        });
      });
      return { token, expiresAt: expiresAt.toISOString() };
    },

    async blockUser(
      actor: Actor,
      { token, isDisabled, acknowledgesWarning }: { token: string; isDisabled: boolean; acknowledgesWarning: boolean },
    ): Promise<AnswerOf<typeof responsesApi.blockUser>> {
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const path = await consumeBlockToken(tx, scope, { hash: hashOfToken(token), actorId: actor.userId, now: now() });
        // Foreign, over, used and unknown ones look the same.
        if (!path)
          throw new Problem('notFound', 'This path is over, used or not yours. Open the dialog again and confirm there.');
        const record = await lockCase(tx, scope, path.case_id);
        const action = isDisabled ? 'blockUser' : 'unblockUser';
        const { response } = await ledger.ask(tx, actor, record, {
          organisationId: record.organisation_id,
          action,
          target: path.user_name,
          acknowledgesWarning,
        });
        return { signInResult: true, response: await showResponse(tx, scope, response) };
      });
    },

    async acknowledge(actor: Actor, { id, isDone, note }: { id: number; isDone: boolean; note: string }): Promise<Response> {
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const found = await ledger.lock(tx, scope, id);
        if (!found) throw problem.notFound('response', id);
        const { record, response } = found;
        if (response.state === (isDone ? 'acknowledged' : 'failed')) return showResponse(tx, scope, response);
        if (!isPending(response))
          throw problem.conflict(
            `Response ${id} is ${response.state} already. Look at the case and ask anew where it is needed.`,
          );
        if (response.approvals_needed > 0 && response.state === 'requested')
          throw problem.conflict(
            `Response ${id} waits for approval: nothing may be done before. ${response.rule_text}`.slice(0, 2000),
          );
        if (!response.is_manual)
          throw problem.conflict(
            `Response ${id} was given to the agent on its device, and the agent says when it is done. Take it back to have it done by hand.`,
          );
        return showResponse(
          tx,
          scope,
          isDone
            ? await ledger.complete(tx, actor, record, response, { state: 'acknowledged', detail: note })
            : await ledger.giveUp(tx, actor, record, response, 'failed', note),
        );
      });
    },

    async executeTasks(
      actor: Actor,
      { caseID, taskNumbers, acknowledgesWarning }: { caseID: number; taskNumbers: number[]; acknowledgesWarning: boolean },
    ): Promise<Tasks> {
      if (new Set(taskNumbers).size !== taskNumbers.length) throw problem.conflict(duplicateTaskText);
      const scope = scopeOf(actor);
      return inTurn(scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const tasks = await lockTasks(tx, record);
        // Decision 19c: with the client's switch off a task stays a proposal: no agent does it, and it counts once a person has.
        const isFree = await isAutonomous(tx, record.organisation_id);
        for (const number of taskNumbers) {
          const task = tasks.find(({ task_number }) => task_number === number);
          if (!task) throw problem.notFound(`task of case ${caseID} with number`, number);
          const doing = task.action as TaskAction;
          const action = task.is_sent ? actions[doing].opposite! : doing;
          const asked = await ledger.ask(tx, actor, record, {
            organisationId: record.organisation_id,
            action,
            target: task.target,
            deviceName: task.device_name || null,
            isByHand: !isFree,
            acknowledgesWarning,
          });
          if (!asked.isNew && isPending(asked.response) && task.response_id === asked.response.id)
            throw problem.conflict(duplicateTaskText);
          await updateTask(tx, task, {
            response_id: asked.response.id,
            is_sent: isFree || !isPending(asked.response) ? !task.is_sent : task.is_sent,
          });
        }
        await recordAudit(tx, actor, {
          action: 'tasks.executed',
          organisationId: record.organisation_id,
          target: String(caseID),
          after: { taskNumbers },
        });
        return tasksOf(tx, scope, caseID);
      });
    },

    async addTask(
      actor: Actor,
      { caseID, action, target, device }: { caseID: number; action: TaskAction; target: string; device: string },
    ): Promise<Tasks> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const seen =
          action === 'disable'
            ? ((await findUserOfCase(tx, record, target)) ?? (await findArtifact(tx, record, target, ['user'])))
            : await findArtifact(tx, record, target, ['destinationIp', 'sourceIp', 'hash', 'process', 'device']);
        if (seen === undefined)
          throw problem.invalid({
            target: [`"${target}" was not seen in this case. Choose one of its ${action === 'disable' ? 'users' : 'artifacts'}.`],
          });
        const onDevice = device === '' ? '' : await findDeviceOfCase(tx, record, device);
        if (onDevice === undefined)
          throw problem.invalid({ device: [`"${device}" is in no alert of this case. Choose one of its devices, or none.`] });
        const tasks = await lockTasks(tx, record);
        if (tasks.some((task) => task.action === action && task.target.toLowerCase() === seen.toLowerCase()))
          throw problem.conflict(duplicateTaskText);
        if (tasks.length >= maxTasks) throw problem.conflict(`A case has at most ${maxTasks} tasks.`);
        const number = Math.max(0, ...tasks.map(({ task_number }) => task_number)) + 1;
        await insertTask(tx, {
          organisation_id: record.organisation_id,
          case_id: caseID,
          task_number: number,
          action,
          target: seen,
          device_name: onDevice,
          created_at: now(),
        });
        await recordCaseHistory(tx, clock, actor, record, {
          action: 'task.added',
          history: { kind: 'response', text: `Task: ${taskText(action, seen, false)}`.slice(0, 2000) },
          after: { taskNumber: number, action, target: seen, device: onDevice },
        });
        return tasksOf(tx, scope, caseID);
      });
    },

    /** By the clock: what silence means for approval, and that what nobody saw done in a day was not done, as far as anybody knows. */
    async expire(): Promise<void> {
      await each('approval', async (tx, { record, response, undoes }) => {
        if (response.state !== 'requested' || response.approvals_needed === 0 || response.approve_until! > now()) return;
        if (response.silence === 'expire')
          await ledger.giveUp(tx, undefined, record, response, 'expired', 'Nobody approved it in time.');
        else await ledger.approve(tx, undefined, record, response, undoes);
      });
      await each('expiry', async (tx, { record, response }) => {
        if (!isPending(response) || response.expires_at > now()) return;
        const detail = response.is_manual ? 'Nobody confirmed it within 24 hours.' : 'Its agent did not do it within 24 hours.';
        await ledger.giveUp(tx, undefined, record, response, 'expired', detail);
      });
      await scoped(db, 'system', (tx) => dropBlockTokens(tx, new Date(clock.now() - oldTokenMs)));
    },

    /** By the clock: what was to be undone by now. */
    async release(): Promise<void> {
      await each('release', async (tx, { record, response }) => {
        if (response.release_at === null || response.release_at > now()) return;
        await updateResponse(tx, response, { release_at: null });
        const { opposite } = kindOf(response);
        // A failed one may have been done on some of its devices.
        if (opposite && ['acknowledged', 'verified', 'failed'].includes(response.state))
          await ledger.ask(tx, undefined, record, {
            organisationId: response.organisation_id,
            action: opposite,
            target: response.target,
            deviceName: response.device_name,
            note: 'Its time is over.',
            undoes: response,
          });
      });
    },
  };
}

type Locked = NonNullable<Awaited<ReturnType<Ledger['lock']>>>;

interface Tasks {
  results: CaseTask[];
  total: number;
}
async function tasksOf(tx: Tx, scope: Scope, caseId: number): Promise<Tasks> {
  const results = await listTasks(tx, scope, caseId);
  return { results, total: results.length };
}
