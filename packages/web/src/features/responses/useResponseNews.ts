/** Says once what became of requests that were on their way when last looked at (decision 14, texts of spec §8). */
import type { Response } from '@parapet/contract/caseDetail.ts';
import { useEffect, useRef } from 'react';
import { toast } from '../../lib/toast.ts';
import { ledgerNews } from './responseTexts.ts';

export function useResponseNews(rows: readonly Pick<Response, 'id' | 'state' | 'action'>[] | undefined, isWhole = false): void {
  const known = useRef<typeof rows>(undefined);
  useEffect(() => {
    if (!rows) return;
    // What was so at the first look is no news.
    for (const { text, isDone } of known.current ? ledgerNews(known.current, rows, isWhole) : []) {
      if (isDone) toast.success(text, 'case');
      else toast.error(text, 'case');
    }
    known.current = rows;
  }, [rows, isWhole]);
}
