/** Bulk changes of cases: a job on the server with progress, and undo for ten seconds. */
import { type BulkJob, bulkApi } from '@parapet/contract/bulk.ts';
import type { Closing } from '@parapet/contract/caseClosing.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type CaseStatus, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { counted } from '../../kit/numbers.ts';
import { toast } from '../../lib/toast.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { useBulk } from '../../lib/useBulk.ts';
import type { Chosen } from './parts/AnalystPicker.tsx';

type Body = InputOf<typeof bulkApi.cases>['body'];

export function useBulkCases(which: () => Body['which'], onStarted: () => void) {
  const queries = useQueryClient();
  const start = useApiMutation(bulkApi.cases, { failure: false });
  const bulk = useBulk({
    onChanged: () => {
      for (const { id } of [casesApi.list, casesApi.filters, casesApi.detail]) void queries.invalidateQueries({ queryKey: [id] });
    },
    onFailed: (error) => toast.error(`Failed to update the cases! ${error.message}`, 'case'),
    onDone: (job) => toast.success(doneText(job), 'case'),
    onUndone: (job) => toast.info(undoneText(job), 'case'),
  });
  const run = (text: string, change: Body['change']) => {
    const body = { which: which(), change };
    void bulk.run(text, () => start.mutateAsync({ body }));
    onStarted();
  };
  return {
    ...bulk,
    setStatus: (caseStatus: CaseStatus, closing?: Pick<Closing, 'resolution' | 'reason'>) =>
      run(`Setting cases to ${statusLabel(caseStatus)}`, { do: 'status', caseStatus, ...(closing && { closing }) }),
    assign: (analyst: Chosen | null) =>
      run(analyst ? `Assigning cases to ${analyst.displayName}` : 'Unassigning cases', {
        do: 'assign',
        analystUserAccountID: analyst?.id ?? null,
      }),
  };
}

const doneText = ({ changed, skipped, faults }: BulkJob) =>
  `${counted(changed, 'case')} changed${skipped > 0 ? `; ${counted(skipped, 'case')} unchanged${faults[0] ? `: ${faults[0]}` : ''}` : ''}`;

/** Result of an undo; `changed` counts cases that were modified since and could not be restored. */
const undoneText = ({ total, changed, skipped }: BulkJob) =>
  `${counted(total - skipped - changed, 'case')} restored${changed > 0 ? `; ${counted(changed, 'case')} modified since and left unchanged` : ''}`;
