/** Says once what became of requests that were on their way when last looked at (decision 14, texts of spec §8). */
import type { Response } from '@parapet/contract/caseDetail.ts';
import { useEffect, useRef } from 'react';
import { toast } from '../../lib/toast.ts';
import { ledgerNews } from './responseTexts.ts';

type Rows = readonly Pick<Response, 'id' | 'state' | 'action'>[];

/** `wholeOf`: the case whose whole ledger this is. */
export function useResponseToasts(rows: Rows | undefined, wholeOf?: number): void {
  const known = useRef<{ rows: Rows; of: number | undefined }>(undefined);
  useEffect(() => {
    if (!rows) return;
    // What was so at the first look is no news.
    const before = known.current?.of === wholeOf ? known.current?.rows : undefined;
    for (const { text, isDone } of before ? ledgerNews(before, rows, wholeOf !== undefined) : []) {
      if (isDone) toast.success(text, 'case');
      else toast.error(text, 'case');
    }
    known.current = { rows, of: wholeOf };
  }, [rows, wholeOf]);
}
