/**
 * Changes of a case: shown at once, sent with the version that was seen, taken back when the server refuses. Changes of one case go one
 * after the other, so that nobody is refused because of a change of their own. Where somebody else was faster, both versions are shown.
 */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type CaseStatus, investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { call } from '../../lib/call.ts';
import { toast } from '../../lib/toast.ts';
import { type CasePatch, knownCase, patchCase, recount, refreshCase } from './caseCache.ts';
import { type CaseLike, failed, said } from './caseTexts.ts';

export interface Conflict {
  of: CaseLike;
  /** What was wanted, in words. */
  wanted: string;
  yours: number;
  current: number;
}

interface Change {
  wanted: string;
  patch: CasePatch;
  send: (version: { version?: number }) => Promise<{ case: CaseRow }>;
  done: string;
}

/** Case → the end of its last change. */
const queues = new Map<number, Promise<unknown>>();

export function useCaseChange() {
  const queries = useQueryClient();
  const [conflict, setConflict] = useState<Conflict>();

  const run = useCallback(
    (of: CaseLike, { wanted, patch, send, done }: Change): Promise<boolean> => {
      const work = async () => {
        const before = knownCase(queries, of.id);
        try {
          const { case: row } = await send(before ? { version: before.version } : {});
          patchCase(queries, of.id, row);
          toast.success(done, 'case');
          return true;
        } catch (error) {
          // Only what this change did: what came meanwhile stays.
          patchCase(queries, of.id, Object.fromEntries(Object.keys(patch).map((name) => [name, of[name as keyof CasePatch]])));
          if (error instanceof Problem && error.versions) setConflict({ of, wanted, ...error.versions });
          else toast.error(failed(said.caseFailed, error), 'case');
          return false;
        } finally {
          recount(queries);
          void refreshCase(queries, of.id);
        }
      };
      patchCase(queries, of.id, patch);
      const result = (queues.get(of.id) ?? Promise.resolve()).then(work);
      queues.set(of.id, result);
      void result.finally(() => queues.get(of.id) === result && queues.delete(of.id));
      return result;
    },
    [queries],
  );

  const setStatus = (of: CaseLike, caseStatus: CaseStatus) =>
    run(of, {
      wanted: `Status: ${statusLabel(caseStatus)}`,
      patch: { status: caseStatus },
      send: (version) => call(casesApi.changeStatus, { body: { caseStatus, incidentID: of.incidentID, ...version } }),
      done: said.case,
    });
  const assign = (of: CaseLike, analyst: { id: number; displayName: string } | null) =>
    run(of, {
      wanted: `Analyst: ${analyst?.displayName ?? 'Nobody'}`,
      patch: { analyst: analyst?.displayName ?? null, analystUserAccountID: analyst?.id ?? null },
      send: (version) =>
        call(casesApi.changeAnalyst, { body: { caseID: of.id, analystUserAccountID: analyst?.id ?? null, ...version } }),
      done: said.case,
    });
  const setInvestigation = (of: CaseLike, investigationStatus: number, waitHours?: number) =>
    run(of, {
      wanted: `Investigation: ${investigationStatusName(investigationStatus)}`,
      patch: { investigationStatus },
      send: (version) =>
        call(casesApi.changeInvestigationStatus, {
          body: { caseID: of.id, investigationStatus, ...(waitHours === undefined ? {} : { waitHours }), ...version },
        }),
      done: said.investigation,
    });

  return { setStatus, assign, setInvestigation, conflict, closeConflict: () => setConflict(undefined) };
}
export type CaseChanges = ReturnType<typeof useCaseChange>;
