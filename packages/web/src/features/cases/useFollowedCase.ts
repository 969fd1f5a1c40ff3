/** Keeps a case's page up to date: what others change of it is asked for anew, and what became of requests is said once (decision 14). */
import { type CaseDetail, casesApi } from '@parapet/contract/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { follow } from '../../lib/stream.ts';
import { toast } from '../../lib/toast.ts';
import { refreshCase } from './caseCache.ts';
import { ledgerNews } from './responseTexts.ts';

const gatherMs = 500;

export function useFollowedCase(detail: CaseDetail | undefined): void {
  const queries = useQueryClient();
  const id = detail?.caseGeneralInfo.id;
  const client = detail?.caseGeneralInfo.clientOrganizationID;
  useEffect(() => {
    if (id === undefined || client === undefined) return;
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer = undefined;
      void refreshCase(queries, id);
      void queries.invalidateQueries({ queryKey: [casesApi.alerts.id] });
    };
    follow(
      casesApi.live,
      { params: { client } },
      {
        signal: end.signal,
        onEvent: ({ caseID }) => {
          if (caseID === id) timer ??= setTimeout(refresh, gatherMs);
        },
      },
      // A page that hears nothing still shows the case; a reload renews it.
    ).catch(() => {});
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [id, client, queries]);

  const known = useRef<{ id: number; responses: CaseDetail['responses'] }>(undefined);
  useEffect(() => {
    if (!detail) return;
    const { caseGeneralInfo: info, responses } = detail;
    if (known.current?.id === info.id) {
      for (const { text, isDone } of ledgerNews(known.current.responses, responses)) {
        if (isDone) toast.success(text, 'case');
        else toast.error(text, 'case');
      }
    }
    known.current = { id: info.id, responses };
  }, [detail]);
}
