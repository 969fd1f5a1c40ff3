/** Responses over all cases: requests, approvals and undo by people, and the settings that decide on approvals. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { ResponseDetail, ResponseRow, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryRows } from '../../domain/query/listed.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import { resolveRequest } from './responseRequests.input.ts';
import { createApprovalPolicy, createApprovalRules, createProtectedAssets } from './responseRequests.policy.ts';
import { agentOf, shownRow, shownVendorTask } from './responseRequests.rows.ts';
import {
  findCase,
  findFile,
  findResponseRequest,
  listResponseRequests,
  listSteps,
  type ResponseRequestRecord,
} from './responseRequests.store.ts';
import { decide } from './responses.decide.ts';
import type { Input, LockedResponse } from './responses.deps.ts';
import type { ResponsesDeps } from './responses.ledger.ts';
import { inRetriedTx, lockWithCase } from './responses.locks.ts';
import type { CollectedFileKey, ProposedRequests } from './responses.ports.ts';
import { checkRequest } from './responses.request.ts';
import { instructionsFor } from './responses.rules.ts';
import { listAgentTasks, listTargetDevices } from './responses.targets.ts';
import { undo } from './responses.undo.ts';

export type ResponseRequestsService = ReturnType<typeof createResponseRequestsService>;

interface RequestsDeps extends ResponsesDeps {
  blobs: Pick<Blobs, 'get'>;
  keyOfFile: CollectedFileKey;
}

export function createResponseRequestsService(deps: RequestsDeps) {
  const { db, clock, cases, ledger } = deps;
  const proposals = createProposedRequests(deps);
  return {
    ...createApprovalPolicy(deps),
    ...createApprovalRules(deps),
    ...createProtectedAssets(deps),

    async list(
      actor: Actor,
      { client, ...range }: Input<'list', 'params'>,
      { query, ...filters }: Input<'list', 'query'>,
    ): Promise<AnswerOf<typeof responseRequestsApi.list>> {
      const scope = scopeFor(actor, client);
      const filter = { ...range, ...filters, rows: queryRows(actor, scope, query, clock.now()) };
      const { rows, total, states } = await scoped(
        db,
        scope,
        (tx) => listResponseRequests(tx, scope, readerOf(clock, actor), filter),
        { readOnly: true },
      );
      return {
        results: rows.map((row) => shownRow(row, actor)),
        total,
        states: states as AnswerOf<typeof responseRequestsApi.list>['states'],
      };
    },

    get: (actor: Actor, id: number): Promise<ResponseDetail> =>
      scoped(db, scopeOf(actor), (tx) => readDetail(tx, deps, actor, id), { readOnly: true }),

    /** The whole scope: a person's isolations are counted over all clients. */
    request: (actor: Actor, body: Input<'request', 'body'>): Promise<ResponseRow> =>
      inRetriedTx(db, scopeOf(actor), async (tx) => readRow(tx, clock, actor, await proposals.request(tx, actor, body))),

    proposals,

    approve: (actor: Actor, id: number, decision: Input<'approve', 'body'>): Promise<ResponseRow> =>
      inRetriedTx(db, scopeOf(actor), async (tx) => {
        const locked = await lock(tx, cases, actor, id);
        await decide(tx, deps, actor, locked, await getResponseRequest(tx, clock, actor, id), decision);
        return readRow(tx, clock, actor, id);
      }),

    undo: (actor: Actor, id: number, { note }: Input<'undo', 'body'>): Promise<ResponseRow> =>
      inRetriedTx(db, scopeOf(actor), async (tx) =>
        readRow(tx, clock, actor, await undo(tx, ledger, actor, await lock(tx, cases, actor, id), note)),
      ),

    file: (actor: Actor, id: number): Promise<FileAnswer> => download(deps, actor, id),
  };
}

function createProposedRequests({ clock, ledger, cases }: RequestsDeps): ProposedRequests {
  const resolve = async (tx: Tx, actor: Actor, body: Input<'request', 'body'>) => {
    const { clientOrganizationID: client, caseID } = body;
    scopeFor(actor, client);
    const record = caseID === undefined ? undefined : await cases.lock(tx, { organisationIds: [client] }, caseID);
    return { record, resolved: await resolveRequest(tx, record, body) };
  };
  return {
    async check(tx, actor, body) {
      const { record, resolved } = await resolve(tx, actor, body);
      return checkRequest(tx, { clock }, actor, record, resolved);
    },
    async request(tx, actor, body) {
      const { record, resolved } = await resolve(tx, actor, body);
      return (await ledger.request(tx, actor, record, resolved)).response.id;
    },
  };
}

const readerOf = (clock: Clock, { userId }: Actor) => ({ userId, now: new Date(clock.now()) });

async function getResponseRequest(tx: Tx, clock: Clock, actor: Actor, id: number): Promise<ResponseRequestRecord> {
  const found = await findResponseRequest(tx, scopeOf(actor), readerOf(clock, actor), id);
  if (!found) throw problem.notFound('response', id);
  return found;
}

const readRow = async (tx: Tx, clock: Clock, actor: Actor, id: number): Promise<ResponseRow> =>
  shownRow(await getResponseRequest(tx, clock, actor, id), actor);

async function lock(tx: Tx, cases: CaseAccess, actor: Actor, id: number): Promise<LockedResponse> {
  const locked = await lockWithCase(tx, cases, scopeOf(actor), id);
  if (!locked) throw problem.notFound('response', id);
  return locked;
}

async function readDetail(tx: Tx, { clock, ledger }: RequestsDeps, actor: Actor, id: number): Promise<ResponseDetail> {
  const scope = scopeOf(actor);
  const row = await getResponseRequest(tx, clock, actor, id);
  const steps = await listSteps(tx, scope, id);
  const tasks = await listAgentTasks(tx, row);
  const file = await findFile(tx, scope, id);
  const [place] = await listTargetDevices(tx, await findCase(tx, row), row);
  return {
    ...shownRow(row, actor),
    note: row.note,
    steps,
    rule: row.rule_text,
    instructions: row.is_manual ? instructionsFor(row, place) : [],
    agent: agentOf(tasks.at(-1), clock.now()),
    vendors: (await ledger.vendorTasksOf(tx, row)).map(shownVendorTask),
    file: file
      ? { path: file.path.slice(0, 2000), sha256: file.sha256, size: Number(file.size), isStored: file.is_stored }
      : null,
  };
}

/** A collected file as the agent sent it; each download is audited. */
async function download({ db, clock, blobs, keyOfFile }: RequestsDeps, actor: Actor, id: number): Promise<FileAnswer> {
  const scope = scopeOf(actor);
  const file = await scoped(db, scope, async (tx) => {
    const row = await getResponseRequest(tx, clock, actor, id);
    const found = await findFile(tx, scope, id);
    if (!found?.is_stored) throw problem.conflict(`Response ${id} has no file${found ? ' yet. Try again in a moment' : ''}.`);
    await recordAudit(tx, actor, {
      action: 'response.fileTaken',
      organisationId: row.organisation_id,
      target: String(id),
      after: { path: found.path, sha256: found.sha256 },
    });
    return found;
  });
  const bytes = await blobs.get(keyOfFile({ organisationId: file.organisation_id, id: file.task_id }));
  if (!bytes) throw problem.conflict(`The file of response ${id} is no longer stored.`);
  // The extra suffix keeps a double click from executing it.
  const name = file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1).slice(0, 100) || 'file';
  return { type: 'application/octet-stream', bytes, downloadName: `${name}.collected` };
}
