/**
 * Executes actions of responses at vendors. Each attempt leases the task, reads the vendor's state first, acts only where the effect is absent and nothing
 * is under way, and stores the vendor's id of the action; so a process that dies in between never acts twice. An action is done when the vendor's own
 * state shows its effect, never because a request was accepted.
 */
import type { ActionRequest, ActionState, Actions, Connector } from '@parapet/connectors/connector.ts';
import { RefusedError, RequestError, ThrottledError, VendorError } from '@parapet/connectors/errors.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { isDatabaseAway, retrying, scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { createSharedRun } from '../../core/sharedRun.ts';
import type { OnVendorOutcome, VendorOutcome } from '../responses/responses.ports.ts';
import type { Accounts } from './connections.accounts.ts';
import { claimTask, type DueTask, endTask, listDueTasks, saveTask } from './connections.tasks.store.ts';
import { retryMs } from './connections.turn.ts';

/** Longer than an attempt takes. */
const actionLeaseMs = 2 * 60_000;
const maxPerRound = 100;
const maxAtOnce = 8;
/** State is read every 5 seconds at first, then less often: a tenth of the age, at most every 5 minutes. */
const firstPollMs = 5_000;
const maxPollMs = 5 * 60_000;
/** A vendor may still execute an expired action once its device is online. */
const watchedAfterExpiryMs = 7 * dayMs;
const watchEveryMs = hourMs;

export interface ActionsDeps {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  connectorOf: (kind: string) => Connector | undefined;
  onOutcome: OnVendorOutcome;
  /** Between 0 and 1. */
  random: () => number;
  log: Log;
}

export type ActionsWorker = ReturnType<typeof createActionsWorker>;

export function createActionsWorker(deps: ActionsDeps) {
  const { db, clock, log } = deps;
  let timer: NodeJS.Timeout | undefined;

  const { run, close } = createSharedRun(async (closing) => {
    const due = await scoped(db, 'system', (tx) => listDueTasks(tx, new Date(clock.now()), maxPerRound), { readOnly: true });
    const waiting = due.values();
    const runOne = async () => {
      for (const id of waiting) if (!closing.aborted) await runTask(deps, id);
    };
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, due.length) }, runOne));
    // New actions are polled more often than the job comes.
    if (due.length > 0 && !closing.aborted) {
      clearTimeout(timer);
      timer = setTimeout(() => void run().catch((error) => log.error({ err: error }, 'actions at vendors failed')), firstPollMs);
      timer.unref();
    }
    return due.length === maxPerRound;
  });

  return {
    /** Attempts whatever is due. Calls during a run share it. */
    run,
    async close(): Promise<void> {
      clearTimeout(timer);
      await close();
    },
  };
}

/** Runs the worker after each commit that queues a task. Returns a function that stops it. */
export function startActionsWorker(bus: Pick<Bus, 'on'>, worker: ActionsWorker, log: Log): () => Promise<void> {
  const run = () => void worker.run().catch((error) => log.error({ err: error }, 'actions at vendors failed'));
  const end = onEach(bus, 'connections.taskQueued', run);
  run();
  return async () => {
    end();
    await worker.close();
  };
}

/** One attempt. Never throws but while the database is away; an attempt that broke off is repeated when its lease ends. */
async function runTask(deps: ActionsDeps, id: number): Promise<void> {
  const now = deps.clock.now();
  const task = await scoped(deps.db, 'system', (tx) => claimTask(tx, id, new Date(now), new Date(now + actionLeaseMs)));
  if (!task) return;
  try {
    await attempt(deps, task);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    if (error instanceof VendorError) await fail(deps, task, error);
    else deps.log.error({ err: error, task: id }, 'an action at a vendor could not be attempted');
  }
}

const requestOf = (task: DueTask): ActionRequest => ({
  action: task.action,
  target: task.target,
  reference: `response ${task.responseId}, task ${task.id}`,
  requestedAt: task.createdAt.getTime(),
});

async function attempt(deps: ActionsDeps, task: DueTask): Promise<void> {
  const { connection } = task;
  if (!connection) return endWithout(deps, task, 'removed');
  if (!connection.isUsable && task.handle === null)
    return endWithout(deps, task, 'paused, stopped, or no longer allowed to respond');
  const connector = deps.connectorOf(connection.kind);
  const actions = connector && (await deps.accounts.open(connector, connection)).actions;
  if (!actions) return end(deps, task, { state: 'failed', detail: `${task.place} can’t execute this action.` });
  const observed = await actions.verify(requestOf(task), task.handle ?? undefined);
  if (observed.state === 'open' && task.handle === null) await act(deps, task, actions);
  else await follow(deps, task, observed);
}

/** Starts the action and stores the vendor's id of it. */
async function act(deps: ActionsDeps, task: DueTask, actions: Actions): Promise<void> {
  const now = deps.clock.now();
  if (task.state === 'expired' || now >= task.expiresAt.getTime())
    return end(deps, task, { state: 'expired', detail: `${task.place} did not accept it in time.` });
  const handle = await actions.act(requestOf(task));
  const detail = `Accepted by ${task.place}${handle === '' ? '' : ` (${handle})`}. Waiting until its own state shows the effect.`;
  await report(deps, task, { state: 'accepted', detail }, (tx) =>
    saveTask(tx, task, {
      handle: storable(handle).slice(0, 500),
      detail: textOf(detail),
      failures: 0,
      nextAt: new Date(now + firstPollMs),
    }),
  );
}

/** Goes by the vendor's state: ends the task, or reads it again later. */
async function follow(deps: ActionsDeps, task: DueTask, { state, detail, handle }: ActionState): Promise<void> {
  const now = deps.clock.now();
  if (state === 'done') return end(deps, task, { state: 'verified', detail });
  if (state === 'failed' || state === 'unknown') return end(deps, task, { state, detail });
  const isNew = task.handle === null && handle !== undefined;
  const reason = detail === '' ? task.detail : textOf(detail);
  const save = { ...(isNew && { handle }), detail: reason, failures: 0, nextAt: new Date(now + pollMs(task, now)) };
  if (now > task.expiresAt.getTime() + watchedAfterExpiryMs)
    return end(deps, task, { state: 'expired', detail: `${reason} It was read for 7 days more.` });
  if (isNew) {
    const accepted = { state: 'accepted', detail: `${task.place} has it already (${handle}). ${detail}` } as const;
    return report(deps, task, accepted, (tx) => saveTask(tx, task, save));
  }
  await scoped(deps.db, 'system', (tx) => saveTask(tx, task, save));
}

const pollMs = ({ state, createdAt }: DueTask, now: number): number =>
  state === 'expired' ? watchEveryMs : Math.min(maxPollMs, Math.max(firstPollMs, (now - createdAt.getTime()) / 10));

/** A connection that is gone can neither act nor show what became of an action. */
const endWithout = (deps: ActionsDeps, task: DueTask, why: string): Promise<void> =>
  task.handle === null
    ? end(deps, task, { state: 'failed', detail: `The connection to ${task.place} was ${why}. Nothing was sent.` })
    : end(deps, task, {
        state: 'expired',
        detail: `The connection to ${task.place} was ${why}. It accepted the action; the effect can’t be verified.`,
      });

/** A refusal or a faulty request ends an action that the vendor never accepted; anything else is attempted again until it expires. */
async function fail(deps: ActionsDeps, task: DueTask, error: VendorError): Promise<void> {
  const now = deps.clock.now();
  const detail = textOf(error.message);
  if (error instanceof RefusedError && task.connection) deps.accounts.forget(task.connection.id);
  const isFinal = error instanceof RequestError || (error instanceof RefusedError && task.handle === null);
  if (isFinal) return end(deps, task, { state: 'failed', detail });
  if (task.handle === null && now >= task.expiresAt.getTime()) return end(deps, task, { state: 'expired', detail });
  const isThrottled = error instanceof ThrottledError;
  const failures = isThrottled ? task.failures : task.failures + 1;
  const wait = isThrottled ? error.retryAfterMs : retryMs(task.failures, deps.random());
  await scoped(deps.db, 'system', (tx) => saveTask(tx, task, { detail, failures, nextAt: new Date(now + wait) }));
}

/** Ends the task; a response that expired keeps its state unless the effect is there after all. */
function end(
  deps: ActionsDeps,
  task: DueTask,
  { state, detail }: { state: 'verified' | 'failed' | 'unknown' | 'expired'; detail: string },
): Promise<void> {
  const now = new Date(deps.clock.now());
  const outcome: VendorOutcome = { state: state === 'expired' ? 'failed' : state, detail: textOf(detail) };
  return report(deps, task, outcome, (tx) => endTask(tx, task, { state, detail: outcome.detail, now }));
}

const report = (
  { db, onOutcome }: ActionsDeps,
  task: DueTask,
  outcome: VendorOutcome,
  save: (tx: Parameters<OnVendorOutcome>[0]) => Promise<boolean>,
): Promise<void> => retrying(() => scoped(db, 'system', (tx) => onOutcome(tx, task, outcome, () => save(tx))));

const textOf = (text: string): string => storable(text).slice(0, 1_000);
