/**
 * Answers on devices and accounts (decisions 13–15): a ledger of requests, each with its steps. Until agents do the work, people do it by hand and
 * confirm; only then do the alerts' flags flip. Locks are always taken in the same order: the case, then its requests and tasks.
 */
import type { CaseTask, Response } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { duplicateTaskText, type responsesApi } from '@parapet/contract/responses.ts';
import { isClosed, type TaskAction, taskText } from '@parapet/contract/rules/cases.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { type CaseRecord, changeCase, leaveTraces, lockCase } from './cases.changes.ts';
import { contained } from './cases.clocks.ts';
import {
  consumeBlockToken,
  dropBlockTokens,
  findArtifact,
  findDeviceOfCase,
  findFlag,
  findResponse,
  findUserOfCase,
  insertBlockToken,
  insertResponse,
  insertStep,
  insertTask,
  isAutonomous,
  isPending,
  listExpired,
  listTasks,
  listTasksOf,
  lockPending,
  lockResponse,
  lockTasks,
  putFlag,
  type ResponseRecord,
  shownResponse,
  takeStep,
  updateTask,
} from './responses.store.ts';

type Action = Response['action'];

const expiryMs = 24 * 3_600_000;
const tokenMs = 2 * 60_000;
/** A device that was silent for so long is called offline: endpoints send something every few minutes. */
const silentMs = 3_600_000;
const maxTasks = 100;

/** What each action is undone by, what people call it, and the flag that it sets or takes; the flag of `block` depends on its target. */
const actions: Record<Action, { opposite: Action; isUndo: boolean; flag?: 'deviceIsolated' | 'userDisabled'; text: string }> = {
  isolate: { opposite: 'unisolate', isUndo: false, flag: 'deviceIsolated', text: 'Isolation of' },
  unisolate: { opposite: 'isolate', isUndo: true, flag: 'deviceIsolated', text: 'Release from isolation of' },
  blockUser: { opposite: 'unblockUser', isUndo: false, flag: 'userDisabled', text: 'Blocking of user' },
  unblockUser: { opposite: 'blockUser', isUndo: true, flag: 'userDisabled', text: 'Unblocking of user' },
  block: { opposite: 'unblock', isUndo: false, text: 'Blocking of' },
  unblock: { opposite: 'block', isUndo: true, text: 'Unblocking of' },
  disable: { opposite: 'reenable', isUndo: false, flag: 'userDisabled', text: 'Disabling of user' },
  reenable: { opposite: 'disable', isUndo: true, flag: 'userDisabled', text: 'Reenabling of user' },
};
const textOf = ({ action, target, device_name }: Pick<ResponseRecord, 'action' | 'target' | 'device_name'>): string =>
  `${actions[action as Action].text} ${target}${device_name ? ` on ${device_name}` : ''}`.slice(0, 1500);

export type ResponsesService = ReturnType<typeof createResponsesService>;

export function createResponsesService({ db, clock }: { db: Database; clock: Clock }) {
  const now = () => new Date(clock.now());

  const flagOf = async (tx: Tx, record: CaseRecord | undefined, { action, target }: ResponseRecord) => {
    const { flag } = actions[action as Action];
    if (flag || !record) return flag;
    return (await findArtifact(tx, record, target, ['device'])) === undefined ? undefined : ('deviceBlocked' as const);
  };

  /** Tasks stand as sent only where that was, or still may be, done. */
  const settleTasks = async (tx: Tx, response: ResponseRecord, isDone: boolean): Promise<void> => {
    const { isUndo } = actions[response.action as Action];
    for (const task of await listTasksOf(tx, response)) await updateTask(tx, task, { is_sent: isDone !== isUndo });
  };

  /** Asked twice, it is one request; an opposite one that still waits is taken back. */
  const ask = async (
    tx: Tx,
    actor: Actor,
    record: CaseRecord,
    {
      action,
      target,
      deviceName = null,
      detail = '',
    }: { action: Action; target: string; deviceName?: string | null; detail?: string },
  ): Promise<{ response: ResponseRecord; isNew: boolean }> => {
    const at = now();
    const by = actor.userId;
    const about = { organisation_id: record.organisation_id, target, device_name: deviceName };
    const { opposite, isUndo, flag } = actions[action];
    const same = await lockPending(tx, action, about);
    if (same) return { response: same, isNew: false };
    if (flag && !isUndo) {
      const holder = await findFlag(tx, record.organisation_id, flag, target);
      // It is so already; unless somebody is about to undo it.
      if (holder && !(await lockPending(tx, opposite, about))) return { response: holder, isNew: false };
    }
    const taken = await lockPending(tx, opposite, about);
    if (taken) {
      await settleTasks(tx, taken, false);
      await takeStep(tx, taken, { state: 'released', at, by, detail: 'The opposite was asked for.' });
    }
    const inserted = await insertResponse(tx, {
      ...about,
      case_id: record.id,
      action,
      requested_by: by,
      requested_by_name: actor.displayName,
      requested_at: at,
      changed_at: at,
      expires_at: new Date(at.getTime() + expiryMs),
      detail,
    });
    if (!inserted) {
      // Of another case, at the same time: that one counts.
      const theirs = await lockPending(tx, action, about);
      if (!theirs) throw problem.conflict('Somebody else asks for this right now. Look at the responses and try again.');
      return { response: theirs, isNew: false };
    }
    await insertStep(tx, inserted, { state: 'requested', at, by, detail });
    await leaveTraces(tx, clock, actor, record, {
      action: 'response.requested',
      history: { kind: 'response', text: `${textOf(inserted)} requested` },
      after: { id: inserted.id, action, target, device: deviceName },
    });
    return { response: inserted, isNew: true };
  };

  /** A request that ends without having been done. */
  const giveUp = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    response: ResponseRecord,
    state: 'failed' | 'expired',
    detail: string,
  ): Promise<ResponseRecord> => {
    await settleTasks(tx, response, false);
    const ended = await takeStep(tx, response, { state, at: now(), by: actor?.userId ?? null, detail });
    if (record)
      await leaveTraces(tx, clock, actor, record, {
        action: `response.${state}`,
        history: { kind: 'response', text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`.slice(0, 2000) },
        before: { id: response.id, state: response.state },
        after: { id: response.id, state, detail },
      });
    return ended;
  };

  const lockWithCase = async (tx: Tx, scope: Scope, { id, case_id }: Pick<ResponseRecord, 'id' | 'case_id'>) => {
    const record = case_id === null ? undefined : await lockCase(tx, scope, case_id);
    return { record, response: await lockResponse(tx, scope, id) };
  };

  return {
    async isolateHost(
      actor: Actor,
      { caseID, deviceID, isIsolated }: { caseID: number; deviceID: string; isIsolated: boolean },
    ): Promise<AnswerOf<typeof responsesApi.isolateHost>> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const device = await findDeviceOfCase(tx, record, deviceID);
        if (!device) throw problem.notFound('device in the alerts of this case named', deviceID);
        const { response } = await ask(tx, actor, record, {
          action: isIsolated ? 'isolate' : 'unisolate',
          target: device.name,
          detail: offlineText(device, clock.now()),
        });
        return { isolateResult: true, response: shownResponse(response) };
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
      { token, isDisabled }: { token: string; isDisabled: boolean },
    ): Promise<AnswerOf<typeof responsesApi.blockUser>> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const path = await consumeBlockToken(tx, scope, { hash: hashOfToken(token), actorId: actor.userId, now: now() });
        // Foreign, over, used and unknown ones look the same.
        if (!path)
          throw new Problem('notFound', 'This path is over, used or not yours. Open the dialog again and confirm there.');
        const record = await lockCase(tx, scope, path.case_id);
        const action = isDisabled ? 'blockUser' : 'unblockUser';
        const { response } = await ask(tx, actor, record, { action, target: path.user_name });
        return { signInResult: true, response: shownResponse(response) };
      });
    },

    async acknowledge(actor: Actor, { id, isDone, note }: { id: number; isDone: boolean; note: string }): Promise<Response> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const found = await findResponse(tx, scope, id);
        if (!found) throw problem.notFound('response', id);
        const { record, response } = await lockWithCase(tx, scope, found);
        if (!response) throw problem.notFound('response', id);
        const state = isDone ? 'acknowledged' : 'failed';
        if (response.state === state) return shownResponse(response);
        if (!isPending(response))
          throw problem.conflict(
            `Response ${id} is ${response.state} already. Look at the case and ask anew where it is needed.`,
          );
        if (!isDone) return shownResponse(await giveUp(tx, actor, record, response, 'failed', note));

        const at = now();
        const { isUndo } = actions[response.action as Action];
        const flag = await flagOf(tx, record, response);
        if (flag) {
          const holder = isUndo ? await findFlag(tx, response.organisation_id, flag, response.target) : undefined;
          if (holder) {
            await settleTasks(tx, holder, false);
            await takeStep(tx, holder, { state: 'released', at, by: actor.userId, detail: `${textOf(response)} was done.` });
          }
          const { organisation_id: organisationId, target: value } = response;
          await putFlag(tx, { organisationId, kind: flag, value, responseId: id, at }, !isUndo);
        }
        await settleTasks(tx, response, true);
        const done = await takeStep(tx, response, { state, at, by: actor.userId, detail: note });
        const before = { id, state: response.state };
        const after = { id, state, note };
        if (record)
          await changeCase(tx, clock, actor, record, {
            // The verdict weighs what was done so far.
            set: { needs_decision: true, ...(!isUndo && !isClosed(record.status) ? contained(record, at.getTime()) : {}) },
            action: 'response.acknowledged',
            history: { kind: 'response', text: `${textOf(response)} confirmed as done${note ? `: ${note}` : ''}`.slice(0, 2000) },
            before,
            after,
          });
        else {
          const { organisation_id: organisationId } = response;
          await recordAudit(tx, actor, { action: 'response.acknowledged', organisationId, target: String(id), before, after });
        }
        return shownResponse(done);
      });
    },

    async executeTasks(actor: Actor, { caseID, taskNumbers }: { caseID: number; taskNumbers: number[] }): Promise<Tasks> {
      if (new Set(taskNumbers).size !== taskNumbers.length) throw problem.conflict(duplicateTaskText);
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await lockCase(tx, scope, caseID);
        const tasks = await lockTasks(tx, record);
        // Decision 19c: with the client's switch off a task stays a proposal until a person has done what it asks for.
        const isFree = await isAutonomous(tx, record.organisation_id);
        for (const number of taskNumbers) {
          const task = tasks.find(({ task_number }) => task_number === number);
          if (!task) throw problem.notFound(`task of case ${caseID} with number`, number);
          const doing = task.action as TaskAction;
          const action = task.is_sent ? actions[doing].opposite : doing;
          const asked = await ask(tx, actor, record, { action, target: task.target, deviceName: task.device_name || null });
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
        const onDevice = device === '' ? { name: '' } : await findDeviceOfCase(tx, record, device);
        if (!onDevice)
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
          device_name: onDevice.name,
          created_at: now(),
        });
        await leaveTraces(tx, clock, actor, record, {
          action: 'task.added',
          history: { kind: 'response', text: `Task: ${taskText(action, seen, false)}`.slice(0, 2000) },
          after: { taskNumber: number, action, target: seen, device: onDevice.name },
        });
        return tasksOf(tx, scope, caseID);
      });
    },

    /** By the clock: what nobody confirmed in a day has not been done, as far as anybody knows. */
    async expire(): Promise<void> {
      const due = await scoped(db, 'system', (tx) => listExpired(tx, now()), { readOnly: true });
      for (const entry of due)
        await scoped(db, 'system', async (tx) => {
          const { record, response } = await lockWithCase(tx, 'system', entry);
          if (response && isPending(response))
            await giveUp(tx, undefined, record, response, 'expired', 'Nobody confirmed it within 24 hours.');
        });
      await scoped(db, 'system', (tx) => dropBlockTokens(tx, new Date(clock.now() - expiryMs)));
    },
  };
}

interface Tasks {
  results: CaseTask[];
  total: number;
}
async function tasksOf(tx: Tx, scope: Scope, caseId: number): Promise<Tasks> {
  const results = await listTasks(tx, scope, caseId);
  return { results, total: results.length };
}

function offlineText({ name, lastEventAt }: { name: string; lastEventAt: Date | null }, now: number): string {
  if (lastEventAt && now - lastEventAt.getTime() < silentMs) return '';
  const since = lastEventAt ? `has sent nothing since ${lastEventAt.toISOString()}` : 'has never sent anything by itself';
  return `${name} ${since}: it may be offline, and the request waits until somebody confirms it.`.slice(0, 2000);
}
