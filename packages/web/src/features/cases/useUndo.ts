/** Undo of changes of status and analyst, the last one first. Both changes stay in the history of the case. */
import type { Closing } from '@parapet/contract/caseClosing.ts';
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { toast } from '../../lib/toast.ts';
import { type CasePatch, knownCase } from './caseCache.ts';
import type { CaseLike } from './caseTexts.ts';
import { statusesBack } from './undoStatus.ts';
import type { CaseChanges } from './useCaseChange.ts';

/** A case before a change, and the fields that changed. */
interface Done {
  before: CaseLike;
  patch: CasePatch;
}

export function useUndo(changes: CaseChanges) {
  const queries = useQueryClient();
  const done = useRef<Done[]>([]);
  /** A refused change has nothing to undo. */
  const remember = async (change: Done, result: Promise<boolean>): Promise<boolean> => {
    done.current.push(change);
    const isDone = await result;
    if (!isDone) done.current = done.current.filter((each) => each !== change);
    return isDone;
  };
  const setStatus = (of: CaseLike, status: CaseStatus, closing?: Closing) =>
    remember({ before: of, patch: { status } }, changes.setStatus(of, status, closing));
  const assign = (of: CaseLike, analyst: { id: number; displayName: string } | null) =>
    remember(
      { before: of, patch: { analyst: analyst?.displayName ?? null, analystUserAccountID: analyst?.id ?? null } },
      changes.assign(of, analyst),
    );
  const undo = async (): Promise<void> => {
    const last = done.current.pop();
    if (!last) return void toast.info('Nothing to undo', 'case');
    const { before, patch } = last;
    const now = { ...before, ...knownCase(queries, before.id) };
    const isSame = (['status', 'analystUserAccountID'] as const).every((name) => !(name in patch) || now[name] === patch[name]);
    if (!isSame) return void toast.info(`Case ${before.incidentID} was changed again since`, 'case');
    if (patch.status === undefined) {
      const { analystUserAccountID: id, analyst } = before;
      await changes.assign(now, id === null ? null : { id, displayName: analyst ?? '' });
      return;
    }
    const way = statusesBack(now.status, before.status);
    if (!way) return void toast.info(`Case ${before.incidentID} was closed before. Close it again with its resolution.`, 'case');
    let at: CaseLike = now;
    for (const status of way) {
      if (!(await changes.setStatus(at, status))) return;
      at = { ...at, status };
    }
  };
  return { setStatus, assign, undo: () => void undo() };
}
