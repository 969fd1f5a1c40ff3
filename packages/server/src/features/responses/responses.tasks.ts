/** Tasks of a case: proposals that an analyst adds and executes, each a response request once executed. */
import type { CaseTask } from '@parapet/contract/caseDetail.ts';
import { problem } from '@parapet/contract/problem.ts';
import { duplicateTaskText } from '@parapet/contract/responses.ts';
import { type TaskAction, taskText } from '@parapet/contract/rules/cases.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { ResponsesDeps } from './responses.ledger.ts';
import { inRetriedTx } from './responses.locks.ts';
import { actions } from './responses.rules.ts';
import { isPending } from './responses.states.ts';
import {
  findArtifact,
  findDeviceOfCase,
  findUserOfCase,
  insertTask,
  isAutonomous,
  listTasks,
  lockTasks,
  updateTask,
} from './responses.store.ts';

const maxTasks = 100;

export function createCaseTasks({ db, clock, ledger, cases }: ResponsesDeps) {
  return {
    async executeTasks(
      actor: Actor,
      { caseID, taskNumbers, acknowledgesWarning }: { caseID: number; taskNumbers: number[]; acknowledgesWarning: boolean },
    ): Promise<Tasks> {
      if (new Set(taskNumbers).size !== taskNumbers.length) throw problem.conflict(duplicateTaskText);
      const scope = scopeOf(actor);
      return inRetriedTx(db, scope, async (tx) => {
        const record = await cases.lock(tx, scope, caseID);
        const tasks = await lockTasks(tx, record);
        // Without the client's autonomous response a task stays a proposal until a person has executed it.
        const isAutomatic = await isAutonomous(tx, record.organisation_id);
        for (const number of taskNumbers) {
          const task = tasks.find(({ task_number }) => task_number === number);
          if (!task) throw problem.notFound(`task of case ${caseID} with number`, number);
          const taskAction = task.action as TaskAction;
          const action = task.is_sent ? actions[taskAction].opposite! : taskAction;
          const requested = await ledger.request(tx, actor, record, {
            organisationId: record.organisation_id,
            action,
            target: task.target,
            deviceName: task.device_name || null,
            isByHand: !isAutomatic,
            acknowledgesWarning,
          });
          if (!requested.isNew && isPending(requested.response) && task.response_id === requested.response.id)
            throw problem.conflict(duplicateTaskText);
          await updateTask(tx, task, {
            response_id: requested.response.id,
            is_sent: isAutomatic || !isPending(requested.response) ? !task.is_sent : task.is_sent,
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
        const record = await cases.lock(tx, scope, caseID);
        const seen =
          action === 'disable'
            ? ((await findUserOfCase(tx, record, target)) ?? (await findArtifact(tx, record, target, ['user'])))
            : await findArtifact(tx, record, target, ['destinationIp', 'sourceIp', 'hash', 'process', 'device']);
        if (seen === undefined)
          throw problem.invalid({
            target: [`"${target}" was not seen in this case. Select one of its ${action === 'disable' ? 'users' : 'artifacts'}.`],
          });
        const onDevice = device === '' ? '' : await findDeviceOfCase(tx, record, device);
        if (onDevice === undefined)
          throw problem.invalid({ device: [`"${device}" is in no alert of this case. Select one of its devices, or none.`] });
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
          created_at: new Date(clock.now()),
        });
        await cases.recordHistory(tx, actor, record, {
          action: 'task.added',
          history: { kind: 'response', text: `Task: ${taskText(action, seen, false)}`.slice(0, 2000) },
          after: { taskNumber: number, action, target: seen, device: onDevice },
        });
        return tasksOf(tx, scope, caseID);
      });
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
