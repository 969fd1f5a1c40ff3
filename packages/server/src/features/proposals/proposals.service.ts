/** Proposals of assistants: checked as the screens check, and without effect until a person accepts one as their own. */
import type { AnalystCaseNote } from '@parapet/contract/caseDetail.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Proposal, proposalsApi } from '@parapet/contract/proposals.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeOf } from '../../core/http/actor.ts';
import type { CaseAccess, CaseRecord } from '../cases/cases.ports.ts';
import type { ProposedRequests, RequestBody } from '../responses/responses.ports.ts';
import { countOpen, insertProposal, listOpen, lockProposal, type ProposalRecord, saveDecision } from './proposals.store.ts';

/** Open proposals of a case at the most. */
const maxOpen = 20;

export interface ProposalsDeps {
  db: Database;
  clock: Clock;
  cases: Pick<CaseAccess, 'find' | 'lock' | 'recordHistory'>;
  saveNote: (
    tx: Tx,
    clock: Clock,
    actor: Actor,
    record: CaseRecord,
    note: { text: string; isInternal: boolean },
  ) => Promise<AnalystCaseNote>;
  requests: ProposedRequests;
}

/** A response as it is stored; its justification is the proposal's text. */
type StoredRequest = Omit<RequestBody, 'note' | 'acknowledgesWarning' | 'clientOrganizationID' | 'caseID'> & { warning: string };

export type ProposedResponse = Omit<RequestBody, 'acknowledgesWarning' | 'clientOrganizationID' | 'caseID'>;

export type ProposalsService = ReturnType<typeof createProposalsService>;

const shown = (row: ProposalRecord & { proposer: string }): Proposal => {
  const request = row.request as StoredRequest | null;
  return {
    id: row.id,
    kind: row.kind,
    text: row.text,
    isInternal: row.is_internal,
    response: request && {
      action: request.action,
      target: request.target,
      deviceName: request.deviceName,
      warning: request.warning || null,
    },
    proposedBy: row.proposer,
    proposedAt: row.proposed_at.toISOString(),
  };
};

export function createProposalsService(deps: ProposalsDeps) {
  const { db, clock, cases, requests } = deps;

  const insert = async (
    tx: Tx,
    actor: Actor,
    record: CaseRecord,
    {
      kind,
      text,
      isInternal,
      request,
    }: { kind: 'note' | 'response'; text: string; isInternal: boolean; request?: StoredRequest },
  ): Promise<number> => {
    if ((await countOpen(tx, scopeOf(actor), record.id)) >= maxOpen)
      throw problem.conflict(`Case ${record.id} has ${maxOpen} open proposals. A user has to decide on some first.`);
    const id = await insertProposal(tx, {
      organisation_id: record.organisation_id,
      case_id: record.id,
      kind,
      text,
      is_internal: isInternal,
      request: request ? JSON.stringify(request) : null,
      proposed_by: actor.userId,
      proposed_by_name: actor.displayName,
      proposed_at: new Date(clock.now()),
    });
    const { action, target } = request ?? {};
    await cases.recordHistory(tx, actor, record, {
      action: 'case.proposed',
      history: {
        kind: 'note',
        text: request ? `Proposed a response through MCP: ${action} ${target}` : 'Proposed a note through MCP',
        isInternal: true,
      },
      after: { id, kind, text, ...(action && { action }), ...(target && { target }) },
    });
    return id;
  };

  return {
    async list(actor: Actor, caseId: number): Promise<AnswerOf<typeof proposalsApi.list>> {
      const scope = scopeOf(actor);
      const rows = await readScoped(db, scope, async (tx) => {
        await cases.find(tx, scope, caseId);
        return listOpen(tx, scope, caseId, maxOpen);
      });
      return { results: rows.map(shown), total: rows.length };
    },

    /** Returns the proposal's id. */
    proposeNote: (actor: Actor, caseId: number, { text, isInternal }: { text: string; isInternal: boolean }): Promise<number> => {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) =>
        insert(tx, actor, await cases.lock(tx, scope, caseId), { kind: 'note', text, isInternal }),
      );
    },

    /** Returns the proposal's id with the warning and the approval rule that a person will meet. Throws as the request would. */
    async proposeResponse(
      actor: Actor,
      caseId: number,
      { note, ...response }: ProposedResponse,
    ): Promise<{ id: number; warning: string; approval: string }> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await cases.lock(tx, scope, caseId);
        const place = { clientOrganizationID: record.organisation_id, caseID: caseId };
        const checked = await requests.check(tx, actor, { ...response, ...place, note, acknowledgesWarning: true });
        const request = { ...response, warning: checked.warning };
        const id = await insert(tx, actor, record, { kind: 'response', text: note, isInternal: true, request });
        return { id, ...checked };
      });
    },

    decide: createDeciding(deps),
  };
}

/** Accepts or dismisses a proposal, as a person who is signed in. */
function createDeciding(deps: ProposalsDeps) {
  const { db, clock, cases, requests } = deps;
  const accept = async (tx: Tx, actor: Actor, record: CaseRecord, row: ProposalRecord, acknowledgesWarning: boolean) => {
    if (row.kind === 'note') {
      await deps.saveNote(tx, clock, actor, record, { text: row.text, isInternal: row.is_internal });
      return undefined;
    }
    if (!mayAs(actor, 'responses:write')) throw problem.forbidden('Your role doesn’t allow requesting responses.');
    const { warning: _, ...stored } = row.request as StoredRequest;
    return requests.request(tx, actor, {
      ...stored,
      clientOrganizationID: row.organisation_id,
      caseID: row.case_id,
      note: row.text,
      acknowledgesWarning,
    });
  };

  return async (
    actor: Actor,
    id: number,
    { isAccepted, acknowledgesWarning }: { isAccepted: boolean; acknowledgesWarning: boolean },
  ): Promise<Record<string, never>> => {
    if (actor.apiKey) throw problem.forbidden('Users decide on proposals. Sign in to the portal for it.');
    const scope = scopeOf(actor);
    return scoped(db, scope, async (tx) => {
      const row = await lockProposal(tx, scope, id);
      if (!row) throw problem.notFound('proposal', id);
      if (row.state !== 'open') throw problem.conflict(`Proposal ${id} is already ${row.state}.`);
      const record = await cases.lock(tx, scope, row.case_id);
      const state = isAccepted ? 'accepted' : 'dismissed';
      await saveDecision(tx, scope, id, { state, decided_by: actor.userId, decided_at: new Date(clock.now()) });
      const responseId = isAccepted ? await accept(tx, actor, record, row, acknowledgesWarning) : undefined;
      await cases.recordHistory(tx, actor, record, {
        action: 'case.proposalDecided',
        history: {
          kind: 'note',
          text: `${isAccepted ? 'Accepted' : 'Dismissed'} a proposed ${row.kind}`,
          isInternal: true,
        },
        after: { id, kind: row.kind, isAccepted, ...(responseId !== undefined && { responseId }) },
      });
      return {};
    });
  };
}
