/**
 * Optimistic changes of a case: sent with the version seen, reverted when the server rejects them. Changes of one case run sequentially,
 * so that a user never conflicts with their own change, and are sent again where only the portal changed the case. Conflicts with other users show both
 * versions.
 */

import type { Closing } from '@parapet/contract/caseClosing.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type CaseStatus, investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { toast } from '../../lib/toast.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { type CasePatch, knownCase, patchCase, recount, refreshCase, versionAsSeen } from './caseCache.ts';
import { type CaseLike, failureText, toastTexts } from './caseTexts.ts';

export interface Conflict {
  of: CaseLike;
  /** Rejected change in words. */
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

/** Case id → completion of its last change. */
const queues = new Map<number, Promise<unknown>>();

export function useCaseChange() {
  const queries = useQueryClient();
  const changeStatus = useApiMutation(casesApi.changeStatus, { failure: false });
  const acknowledgeCase = useApiMutation(casesApi.acknowledge, { failure: false });
  const changeAnalyst = useApiMutation(casesApi.changeAnalyst, { failure: false });
  const changeInvestigation = useApiMutation(casesApi.changeInvestigationStatus, { failure: false });
  const [conflict, setConflict] = useState<Conflict>();

  const run = useCallback(
    (of: CaseLike, { wanted, patch, send, done }: Change): Promise<boolean> => {
      const work = async () => {
        const before = knownCase(queries, of.id);
        try {
          const { case: row } = await send(before ? { version: before.version } : {}).catch(async (error) => {
            const version = error instanceof Problem && error.versions ? await versionAsSeen(queries, of) : undefined;
            if (version === undefined) throw error;
            return send({ version });
          });
          patchCase(queries, of.id, row);
          toast.success(done, 'case');
          return true;
        } catch (error) {
          // Reverts the fields of this change only; later ones stay.
          patchCase(queries, of.id, Object.fromEntries(Object.keys(patch).map((name) => [name, of[name as keyof CasePatch]])));
          if (error instanceof Problem && error.versions) setConflict({ of, wanted, ...error.versions });
          else toast.error(failureText(toastTexts.caseFailed, error), 'case');
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

  const setStatus = (of: CaseLike, caseStatus: CaseStatus, closing?: Closing) =>
    run(of, {
      wanted: `Status: ${statusLabel(caseStatus)}`,
      patch: { status: caseStatus },
      send: (version) =>
        changeStatus.mutateAsync({ body: { caseStatus, incidentID: of.incidentID, ...(closing && { closing }), ...version } }),
      done: toastTexts.case,
    });
  const acknowledge = (of: CaseLike) =>
    run(of, {
      wanted: 'Acknowledged',
      patch: {},
      send: (version) => acknowledgeCase.mutateAsync({ body: { incidentID: of.incidentID, ...version } }),
      done: toastTexts.case,
    });
  const assign = (of: CaseLike, analyst: { id: number; displayName: string } | null) =>
    run(of, {
      wanted: `Analyst: ${analyst?.displayName ?? 'Unassigned'}`,
      patch: { analyst: analyst?.displayName ?? null, analystUserAccountID: analyst?.id ?? null },
      send: (version) =>
        changeAnalyst.mutateAsync({ body: { caseID: of.id, analystUserAccountID: analyst?.id ?? null, ...version } }),
      done: toastTexts.case,
    });
  const setInvestigation = (of: CaseLike, investigationStatus: number, waitHours?: number) =>
    run(of, {
      wanted: `Investigation: ${investigationStatusName(investigationStatus)}`,
      patch: { investigationStatus },
      send: (version) =>
        changeInvestigation.mutateAsync({
          body: { caseID: of.id, investigationStatus, ...(waitHours === undefined ? {} : { waitHours }), ...version },
        }),
      done: toastTexts.investigation,
    });

  return { setStatus, acknowledge, assign, setInvestigation, conflict, closeConflict: () => setConflict(undefined) };
}
export type CaseChanges = ReturnType<typeof useCaseChange>;
