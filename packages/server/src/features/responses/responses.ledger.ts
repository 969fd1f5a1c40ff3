/**
 * The ledger of responses (decisions 13–15): the only way a request comes to be and changes. Asked for; approved, by those who must; then given to the
 * agents on its device, or to a person who does it by hand and confirms; done is what was seen. Locks: the case, its requests, then agents.
 */
import { maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import { problem } from '@parapet/contract/problem.ts';
import { isClosed } from '@parapet/contract/rules/cases.ts';
import { targetRefusal, targetWarning } from '@parapet/contract/rules/responseTargets.ts';
import type { Clock } from '../../core/clock.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { type Actor, isFresh, requireFresh } from '../../core/http/actor.ts';
import { type AuditChange, type CaseActions, recordAudit } from '../../domain/audit.ts';
import type { cancelTasks, queueTask } from '../agents/agentTasks.service.ts';
import { type CaseChange, type CaseRecord, changeCase, lockCase, recordCaseHistory } from '../cases/cases.changes.ts';
import { contained } from '../cases/cases.clocks.ts';
import { type Approval, approvalOf } from './responses.approvals.ts';
import {
  type Action,
  deviceOf,
  expiryMs,
  isForAgents,
  kindOf,
  needsSecondPerson,
  textOf,
  usualReleaseHours,
} from './responses.rules.ts';
import {
  findArtifact,
  findResponse,
  insertResponse,
  insertStep,
  listHolders,
  listTasksOf,
  lockPending,
  lockResponse,
  putFlag,
  type ResponseRecord,
  takeStep,
  updateResponse,
  updateTask,
} from './responses.store.ts';
import {
  agentsAt,
  listAgentTasks,
  listNames,
  listTargetDevices,
  type PlaceWithAgent,
  type TargetAgent,
  type Wanted,
} from './responses.targets.ts';

type ResponseChange = AuditChange<Extract<keyof CaseActions, `response.${string}`>>;

/** What agents are asked through. */
export interface AgentTaskQueue {
  queueTask: typeof queueTask;
  cancelTasks: typeof cancelTasks;
}

export interface ResponseRequest {
  organisationId: number;
  action: Action;
  target: string;
  deviceName?: string | null;
  expectedName?: string;
  /** Why. */
  note?: string;
  /** After so many hours it is undone by itself. */
  releaseHours?: number;
  /** No agent is asked. */
  isByHand?: boolean;
  /** The warning about this target was read. */
  acknowledgesWarning?: boolean;
  /** The request that it undoes. */
  undoes?: ResponseRecord;
}

/** A device that was silent for so long is called offline: endpoints send something every few minutes, agents check in each minute. */
const silentMs = 3_600_000;
const silentAgentMs = 3 * 60_000;
const retryReleaseMs = 3_600_000;

const unasked: Approval = { approvals_needed: 0, approver_kind: null, rule_text: '', silence: 'expire', waitMs: 0 };

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ clock, agents }: { clock: Clock; agents: AgentTaskQueue }) {
  const now = () => new Date(clock.now());

  /** What is written about a request: in the history of its case, for the live screens, and in the audit log. */
  const tell = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    { id, organisation_id: organisationId }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
    { text, set, ...traces }: ResponseChange & { text: string; set?: CaseChange['set'] },
  ): Promise<void> => {
    const change = { ...traces, history: { kind: 'response' as const, text: text.slice(0, 2000) } };
    if (record)
      await (set
        ? changeCase(tx, clock, actor, record, { set, ...change })
        : recordCaseHistory(tx, clock, actor, record, change));
    if (!record || !actor)
      await recordAudit(tx, actor ?? { userId: null, organisationId, address: '' }, {
        ...traces,
        organisationId,
        target: String(record?.id ?? id),
      });
  };

  const flagOf = async (tx: Tx, record: CaseRecord | undefined, response: ResponseRecord) => {
    const { flag } = kindOf(response);
    if (flag || !record || !response.action.endsWith('block')) return flag;
    return (await findArtifact(tx, record, response.target, ['device'])) === undefined ? undefined : ('deviceBlocked' as const);
  };

  /** Tasks of the case stand as sent only where that was, or still may be, done. */
  const settleTasks = async (tx: Tx, response: ResponseRecord, isDone: boolean): Promise<void> => {
    const { isUndo } = kindOf(response);
    for (const task of await listTasksOf(tx, response)) await updateTask(tx, task, { is_sent: isDone !== isUndo });
  };

  /** Nobody starts on it any more. Answers whether agents were given it already: then only the opposite undoes it. */
  const takeBack = async (tx: Tx, actor: Actor | undefined, response: ResponseRecord, detail: string) => {
    await settleTasks(tx, response, false);
    const { underWay } = await agents.cancelTasks(tx, response.id, now());
    const released = await takeStep(tx, response, { state: 'released', at: now(), by: actor, detail });
    return { released, isUnderWay: underWay > 0 };
  };

  /** Those that did what is to be undone; else whoever is there. None where a person does it. */
  const doersOf = async (
    tx: Tx,
    wanted: Wanted,
    places: readonly PlaceWithAgent[],
    undoes: ResponseRecord | undefined,
  ): Promise<TargetAgent[]> => {
    if (undoes?.is_manual) return [];
    const did = undoes && isForAgents(undoes) ? await listAgentTasks(tx, undoes) : [];
    const again = did.filter(({ isRevoked, state }) => !isRevoked && state !== 'queued' && state !== 'failed');
    const doers = again.length > 0 ? again.map(({ agentId, ...task }) => ({ ...task, id: agentId })) : agentsAt(places, wanted);
    // Always in this order, so that two requests never wait for each other's agents.
    return [...new Map(doers.map((doer) => [doer.id, doer])).values()].sort((a, b) => a.id - b.id);
  };

  /** An approved request goes to the agents, or to a person. */
  const go = async (
    tx: Tx,
    record: CaseRecord | undefined,
    asked: ResponseRecord,
    { undoes, places }: { undoes: ResponseRecord | undefined; places?: readonly PlaceWithAgent[] },
  ): Promise<ResponseRecord> => {
    const at = now();
    const there = places ?? (await listTargetDevices(tx, record, asked));
    const { task } = kindOf(asked);
    const expiresAt = new Date(at.getTime() + expiryMs);
    const given: TargetAgent[] = [];
    if (!asked.is_manual && task)
      for (const agent of await doersOf(tx, asked, there, undoes)) {
        const isIsolation = task === 'isolate' || task === 'unisolate';
        const id = await agents.queueTask(tx, {
          organisationId: asked.organisation_id,
          agentId: agent.id,
          responseId: asked.id,
          action: task,
          target: isIsolation ? '' : agent.target,
          expectedName: asked.expected_name,
          maxBytes: task === 'collectFile' ? maxCollectedBytes : 0,
          releaseInSeconds: task === 'isolate' ? (asked.release_hours ?? usualReleaseHours) * 3600 : null,
          createdAt: at,
          expiresAt,
        });
        if (id !== undefined) given.push(agent);
      }
    const approved = await takeStep(
      tx,
      asked,
      { state: 'approved', at, by: undefined, detail: given.length > 0 ? '' : offlineText(asked, there, at.getTime()) },
      { is_manual: given.length === 0, expires_at: expiresAt },
    );
    if (given.length === 0) return approved;
    const silent = given.filter(({ lastCheckInAt }) => at.getTime() - (lastCheckInAt?.getTime() ?? 0) > silentAgentMs);
    const detail =
      silent.length === 0
        ? ''
        : `${silent.map(({ deviceName }) => deviceName).join(', ')}: the agent does not check in now. The task waits for it until ${minute(expiresAt)}.`;
    const set = { agent_id: given[0]!.id };
    return takeStep(tx, approved, { state: 'sent', at, by: undefined, detail: detail.slice(0, 2000) }, set);
  };

  /** Asked twice, it is one request; an opposite one that still waits is taken back. By a person, or by the portal itself. */
  const ask = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    wish: ResponseRequest,
  ): Promise<{ response: ResponseRecord; isNew: boolean }> => {
    const at = now();
    const { organisationId, action, target, deviceName = null, note = '', expectedName = '', isByHand = false } = wish;
    const about = { organisation_id: organisationId, action, target, device_name: deviceName };
    const { opposite, isUndo, flag, task } = kindOf(about);
    // As the contract's calls declare it: only here is known what the device is.
    // As the contract's calls declare it: only here is known what the device is.
    if (actor && !isUndo && !isFresh(actor)) {
      const deviceTypes = (await listTargetDevices(tx, record, about)).map(({ deviceType }) => deviceType);
      if (needsSecondPerson(action, deviceTypes)) requireFresh(actor);
    }
    const same = await lockPending(tx, action, about);
    if (same) return { response: same, isNew: false };
    const holders = flag ? await listHolders(tx, organisationId, flag, target) : [];
    const taken = opposite && (await lockPending(tx, opposite, about));
    // It is so already, there; unless somebody is about to undo it.
    const holder = holders.find((each) => isSameDevice(each, about));
    if (holder && !isUndo && !taken) return { response: holder, isNew: false };
    if (taken) await takeBack(tx, actor, taken, 'The opposite was asked for.');

    const undoes = isUndo ? (wish.undoes ?? holder ?? holders[0] ?? taken) : undefined;
    const places = await listTargetDevices(tx, record, about);
    const isManual = isByHand || (await doersOf(tx, about, places, undoes)).length === 0;
    if (actor && !isUndo) {
      const deviceTypes = places.map(({ deviceType }) => deviceType);
      refuseUnfitTarget(about, deviceTypes, wish.acknowledgesWarning ?? false);
    }
    const approval = actor ? await approvalOf(tx, clock, actor, about, places) : unasked;
    const { waitMs, ...needs } = approval;
    const waits = needs.approvals_needed > 0;
    const approveUntil = new Date(at.getTime() + waitMs);
    const releases = !isUndo && opposite !== undefined && flag !== undefined;
    const inserted = await insertResponse(tx, {
      ...about,
      ...needs,
      case_id: record?.id ?? null,
      requested_by: actor?.userId ?? null,
      requested_by_name: actor?.displayName ?? '',
      requested_at: at,
      changed_at: at,
      expires_at: waits ? approveUntil : new Date(at.getTime() + expiryMs),
      approve_until: waits ? approveUntil : null,
      is_manual: isManual,
      note,
      expected_name: expectedName,
      release_hours: releases ? (wish.releaseHours ?? (isManual || !task ? null : usualReleaseHours)) : null,
      undoes_id: undoes?.id ?? null,
      detail: needs.rule_text,
    });
    if (!inserted) {
      // Of another case, at the same time: that one counts.
      const theirs = await lockPending(tx, action, about);
      if (!theirs) throw problem.conflict('Somebody else asks for this right now. Look at the responses and try again.');
      return { response: theirs, isNew: false };
    }
    await insertStep(tx, inserted, { state: 'requested', at, by: actor, detail: note });
    const response = waits ? inserted : await go(tx, record, inserted, { undoes, places });
    const how = waits ? '; it waits for approval' : response.is_manual ? '' : ' and sent to its agent';
    await tell(tx, actor, record, inserted, {
      action: 'response.requested',
      text: `${textOf(inserted)} requested${how}${note ? `: ${note}` : ''}`,
      after: { id: inserted.id, action, target, device: deviceName, state: response.state },
    });
    return { response, isNew: true };
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
    await agents.cancelTasks(tx, response.id, now());
    const ended = await takeStep(tx, response, { state, at: now(), by: actor, detail });
    // What the portal should have undone by now still holds: it tries again.
    if (response.requested_by === null && response.undoes_id !== null)
      await updateResponse(
        tx,
        { id: response.undoes_id, organisation_id: response.organisation_id },
        { release_at: new Date(clock.now() + retryReleaseMs) },
      );
    await tell(tx, actor, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state, detail },
    });
    return ended;
  };

  /** What holds no more: its flag, where it holds it, and whatever was to undo it. */
  const endHolding = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    held: ResponseRecord,
    state: 'released' | 'failed',
    detail: string,
  ) => {
    const flag = await flagOf(tx, record, held);
    if (flag) await dropFlag(tx, flag, held);
    await settleTasks(tx, held, false);
    return takeStep(tx, held, { state, at: now(), by: actor, detail }, { release_at: null });
  };

  /** Somebody saw that it was done: the flags flip (decision 14). */
  const complete = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    response: ResponseRecord,
    { state, detail }: { state: 'acknowledged' | 'verified'; detail: string },
  ): Promise<ResponseRecord> => {
    const at = now();
    const { id, organisation_id: organisationId } = response;
    const { isUndo } = kindOf(response);
    const flag = await flagOf(tx, record, response);
    const holders = flag ? await listHolders(tx, organisationId, flag, response.target) : [];
    const same = holders.find((each) => isSameDevice(each, response));
    // What it undoes, or what it takes the place of.
    const holder = (isUndo && holders.find((each) => each.id === response.undoes_id)) || same;
    if (holder && holder.id !== id) {
      if (isUndo) await settleTasks(tx, holder, false);
      const why = isUndo ? `${textOf(response)} was done.` : `Response ${id} holds in its place.`;
      await takeStep(tx, holder, { state: 'released', at, by: actor, detail: why }, { release_at: null });
    }
    if (response.undoes_id !== null && response.undoes_id !== holder?.id)
      await updateResponse(tx, { id: response.undoes_id, organisation_id: organisationId }, { release_at: null });
    if (flag && isUndo) await dropFlag(tx, flag, holder ?? response);
    else if (flag) await putFlag(tx, await flagAt(tx, response, flag, at), true);
    await settleTasks(tx, response, true);
    const releaseAt = response.release_hours === null ? null : new Date(at.getTime() + response.release_hours * 3_600_000);
    const done = await takeStep(tx, response, { state, at, by: actor, detail }, { release_at: releaseAt });
    const contains = record && !isUndo && response.action !== 'collectFile' && !isClosed(record.status);
    await tell(tx, actor, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${actor ? 'confirmed as done' : 'done by its agent'}${detail ? `: ${detail}` : ''}`,
      before: { id, state: response.state },
      after: { id, state, ...(actor ? { note: detail } : { detail }) },
      // The verdict weighs what was done so far.
      set: { needs_decision: true, ...(contains ? contained(record, at.getTime()) : {}) },
    });
    return done;
  };

  return {
    ask,
    go,
    giveUp,
    takeBack,
    endHolding,
    complete,
    tell,

    /** By the last one who must, or by silence (undefined). */
    async approve(
      tx: Tx,
      actor: Actor | undefined,
      record: CaseRecord | undefined,
      response: ResponseRecord,
      undoes: ResponseRecord | undefined,
    ): Promise<ResponseRecord> {
      const gone = await go(tx, record, response, { undoes });
      await tell(tx, actor, record, response, {
        action: 'response.approved',
        text: `${textOf(response)} approved${actor ? '' : ': nobody objected in time'}`,
        before: { id: response.id, state: response.state },
        after: { id: response.id, state: gone.state },
      });
      return gone;
    },

    /** The request as it is now, kept from changing, with its case. Undefined where it is not there. */
    async lock(
      tx: Tx,
      scope: Scope,
      id: number,
    ): Promise<{ record: CaseRecord | undefined; response: ResponseRecord; undoes: ResponseRecord | undefined } | undefined> {
      const found = await findResponse(tx, scope, id);
      if (!found) return undefined;
      const record = found.case_id === null ? undefined : await lockCase(tx, scope, found.case_id);
      const response = await lockResponse(tx, scope, id);
      if (!response) return undefined;
      const undoes = response.undoes_id === null ? undefined : await findResponse(tx, scope, response.undoes_id);
      return { record, response, undoes };
    },
  };
}

type Flag = 'deviceIsolated' | 'userDisabled' | 'deviceBlocked';

const flagAt = async (tx: Tx, response: ResponseRecord, kind: Flag, at: Date) => {
  const { organisation_id: organisationId, target } = response;
  const values = kind === 'userDisabled' ? [target] : await listNames(tx, organisationId, target);
  return { organisationId, kind, values: [target, ...values], responseId: response.id, at };
};

/** An account may be blocked on single devices: what holds on another one still holds, and shows. */
async function dropFlag(tx: Tx, flag: Flag, ended: ResponseRecord): Promise<void> {
  const holders = await listHolders(tx, ended.organisation_id, flag, ended.target);
  const other = holders.find(({ id }) => id !== ended.id);
  await putFlag(tx, await flagAt(tx, other ?? ended, flag, (other ?? ended).changed_at), other !== undefined);
}

const isSameDevice = (a: { device_name: string | null }, b: { device_name: string | null }): boolean =>
  (a.device_name ?? '').toLowerCase() === (b.device_name ?? '').toLowerCase();

/** Throws for what cannot be done there, and for what deserves a warning that nobody has read. */
function refuseUnfitTarget(
  about: { action: Action; target: string; device_name: string | null },
  deviceTypes: readonly string[],
  isAcknowledged: boolean,
): void {
  const refusal = targetRefusal(about.action, deviceOf(about) ?? about.target, deviceTypes);
  if (refusal !== undefined) throw problem.conflict(refusal);
  const warning = targetWarning(about.action, about.target, deviceTypes);
  if (warning !== undefined && !isAcknowledged)
    throw problem.conflict(`${warning} Nothing was requested. To go on all the same, confirm the warning (acknowledgesWarning).`);
}

const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** What whoever does it by hand should know of the device. */
function offlineText(
  { action, target }: { action: string; target: string },
  places: readonly PlaceWithAgent[],
  now: number,
): string {
  if (kindOf({ action }).flag !== 'deviceIsolated') return '';
  const last = Math.max(0, ...places.map(({ lastEventAt }) => lastEventAt?.getTime() ?? 0));
  if (now - last < silentMs) return '';
  const since = last > 0 ? `has sent nothing since ${new Date(last).toISOString()}` : 'has never sent anything by itself';
  return `${target} ${since}: it may be offline, and the request waits until somebody confirms it.`.slice(0, 2000);
}
