/** Reports the outcome of requests that were pending at the previous read, once (texts of spec §8). */
import type { Response } from '@parapet/contract/caseDetail.ts';
import { useEffect, useRef } from 'react';
import { toast } from '../../lib/toast.ts';
import { responseOutcomes } from './responseTexts.ts';

type Rows = readonly Pick<Response, 'id' | 'state' | 'action'>[];

/** `wholeOf`: case whose complete ledger `rows` is. */
export function useResponseToasts(rows: Rows | undefined, wholeOf?: number): void {
  const known = useRef<{ rows: Rows; of: number | undefined }>(undefined);
  useEffect(() => {
    if (!rows) return;
    // The first read is the baseline.
    const before = known.current?.of === wholeOf ? known.current?.rows : undefined;
    for (const { text, isDone } of before ? responseOutcomes(before, rows, wholeOf !== undefined) : []) {
      if (isDone) toast.success(text, 'case');
      else toast.error(text, 'case');
    }
    known.current = { rows, of: wholeOf };
  }, [rows, wholeOf]);
}
