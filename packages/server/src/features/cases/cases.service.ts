/** Cases as people read and change them (spec §3, §4, §7.4). A case outside the scope is the same 404 as a missing one. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import type { z } from 'zod';
import type { Bus } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { changeCase, lockCase } from './cases.changes.ts';
import { listOpenItems, mustAnswer } from './cases.closing.ts';
import { createCasePages } from './cases.detail.service.ts';
import { getCase } from './cases.detail.ts';
import { createCaseFiles } from './cases.files.ts';
import { createCaseLists } from './cases.list.service.ts';
import { createLiveCases } from './cases.live.ts';
import type { ArchiveKey, BrandOf, CasePageSources, CaseRecord, MoveAlert, OnSlaNotified, SourceOf } from './cases.ports.ts';
import { getCaseRow } from './cases.rows.ts';
import type { TransitionDeps, Transitions } from './cases.transitions.ts';
import { createWatch } from './cases.watch.ts';
import { addAlert, saveNarrative, saveNote } from './cases.writing.ts';

type BodyOf<K extends keyof typeof casesApi> = z.output<(typeof casesApi)[K]['body']>;

export interface CasesDeps extends CasePageSources, TransitionDeps {
  db: Database;
  bus: Pick<Bus, 'on'>;
  transitions: Transitions;
  onSlaNotified: OnSlaNotified;
  moveAlertManually: MoveAlert;
  brandOf: BrandOf;
  sourceOf: SourceOf;
  archiveKey: ArchiveKey;
}

export type CasesService = ReturnType<typeof createCasesService>;

/** Changes one case in the actor's scope. */
type Change = (
  actor: Actor,
  id: number,
  version: number | undefined,
  work: (tx: Tx, record: CaseRecord) => Promise<CaseRecord>,
) => Promise<{ case: CaseRow }>;

const changesOf = (change: Change, transitions: Transitions) => ({
  changeAnalyst: (actor: Actor, { caseID, analystUserAccountID, version }: BodyOf<'changeAnalyst'>) =>
    change(actor, caseID, version, (tx, record) => transitions.applyAnalyst(tx, actor, record, analystUserAccountID)),

  changeInvestigationStatus: (
    actor: Actor,
    { caseID, investigationStatus, waitHours, version }: BodyOf<'changeInvestigationStatus'>,
  ) =>
    change(actor, caseID, version, (tx, record) =>
      transitions.applyInvestigation(tx, actor, record, investigationStatus, waitHours),
    ),

  changeStatus: (actor: Actor, { incidentID, caseStatus, closing, version }: BodyOf<'changeStatus'>) =>
    change(actor, incidentID, version, (tx, record) => transitions.applyStatus(tx, actor, record, caseStatus, closing)),

  acknowledge: (actor: Actor, { incidentID, version }: BodyOf<'acknowledge'>) =>
    change(actor, incidentID, version, (tx, record) => transitions.acknowledge(tx, actor, record)),
});

export function createCasesService(deps: CasesDeps) {
  const { db, bus, clock, transitions } = deps;
  const live = createLiveCases({ bus });
  const { watchClocks } = createWatch(deps);
  const caseRow = (tx: Tx, scope: Scope, { id }: Pick<CaseRecord, 'id'>): Promise<CaseRow> =>
    getCaseRow(tx, scope, id, clock.now());

  /** The transaction has the system scope, which its notices need. */
  const change: Change = (actor, id, version, work) => {
    const scope = scopeOf(actor);
    return scoped(db, 'system', async (tx) => ({
      case: await caseRow(tx, scope, await work(tx, await lockCase(tx, scope, id, version))),
    }));
  };

  return {
    ...transitions,
    watchClocks,
    ...createCaseLists(deps),
    ...createCasePages(deps),
    fileOf: createCaseFiles(deps),

    async follow(
      actor: Actor,
      client: number,
      stream: { open: () => EventSink; stillAllowed: () => Promise<boolean> },
    ): Promise<void> {
      const scope = scopeFor(actor, client);
      if (scope === 'system') throw new Error('A person follows organisations, never the whole system.');
      live.follow({ actor, scope, ...stream });
    },

    async saveNarrative(actor: Actor, client: number, { caseID, ...input }: BodyOf<'saveNarrative'>) {
      const scope = scopeFor(actor, client);
      // The actor's whole scope: the author belongs to another organisation than the client.
      return scoped(db, scopeOf(actor), async (tx) => saveNarrative(tx, clock, actor, await lockCase(tx, scope, caseID), input));
    },

    async saveNote(actor: Actor, { caseID, ...input }: BodyOf<'saveNote'>) {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => saveNote(tx, clock, actor, await lockCase(tx, scope, caseID), input));
    },

    async addAlert(actor: Actor, { caseID, alertID }: BodyOf<'addAlert'>): Promise<{ case: CaseRow }> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await addAlert(tx, clock, actor, scope, { caseId: caseID, alertId: alertID }, deps.moveAlertManually);
        return { case: await caseRow(tx, scope, record) };
      });
    },

    ...changesOf(change, transitions),

    async openItems(actor: Actor, caseId: number): Promise<AnswerOf<typeof casesApi.openItems>> {
      const scope = scopeOf(actor);
      return readScoped(db, scope, async (tx) => {
        const record = await getCase(tx, scope, caseId);
        if (!canSeeInternal(actor)) return { items: [], needsAnswers: false };
        return { items: (await listOpenItems(tx, [record])).get(caseId) ?? [], needsAnswers: mustAnswer(record) };
      });
    },

    /** Repeating it is a no-op. */
    answerSeen: (actor: Actor, caseId: number) =>
      change(actor, caseId, undefined, async (tx, record) =>
        record.client_answered_at === null || record.client_answer_seen_at !== null
          ? record
          : changeCase(tx, clock, actor, record, {
              set: { client_answer_seen_at: new Date(clock.now()) },
              action: 'case.answerSeen',
            }),
      ),

    closeStreams: () => live.closeStreams(),
    close: () => live.close(),
  };
}
