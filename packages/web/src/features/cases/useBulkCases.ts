/** What is done with many cases at once: the server's own work, with progress; what came of it is said, and can be taken back for ten seconds. */
import { type BulkJob, bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type CaseStatus, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { counted } from '../../kit/numbers.ts';
import { call } from '../../lib/call.ts';
import { toast } from '../../lib/toast.ts';
import { useBulk } from '../../lib/useBulk.ts';
import type { Chosen } from './parts/AnalystPicker.tsx';

type Body = InputOf<typeof bulkApi.cases>['body'];

export function useBulkCases(which: () => Body['which'], onBegun: () => void) {
  const queries = useQueryClient();
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
    void bulk.run(text, () => call(bulkApi.cases, { body }));
    onBegun();
  };
  return {
    ...bulk,
    setStatus: (caseStatus: CaseStatus) => run(`Setting cases to ${statusLabel(caseStatus)}`, { do: 'status', caseStatus }),
    assign: (analyst: Chosen | null) =>
      run(`Assigning cases to ${analyst?.displayName ?? 'nobody'}`, { do: 'assign', analystUserAccountID: analyst?.id ?? null }),
  };
}

const doneText = ({ changed, skipped, faults }: BulkJob) =>
  `${counted(changed, 'case')} changed${skipped > 0 ? `; ${counted(skipped, 'case')} left as they were${faults[0] ? `: ${faults[0]}` : ''}` : ''}`;

/** After it `changed` says how many could not be taken back, because somebody changed them since. */
const undoneText = ({ total, changed, skipped }: BulkJob) =>
  `Taken back: ${counted(total - skipped - changed, 'case')}${changed > 0 ? `; ${counted(changed, 'case')} changed since and left` : ''}`;
