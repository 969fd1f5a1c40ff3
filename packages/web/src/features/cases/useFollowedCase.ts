/** Keeps a case page current: refetches after changes by others, and shows results of response requests once. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow } from '../../lib/stream.ts';
import { useResponseToasts } from '../responses/useResponseToasts.ts';
import { refreshCase } from './caseCache.ts';

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
      for (const { id } of [casesApi.alerts, casesApi.graph, responseRequestsApi.list])
        void queries.invalidateQueries({ queryKey: [id] });
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
      // Without the stream the page still shows the case; a reload updates it.
    ).catch(() => {});
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [id, client, queries]);

  useResponseToasts(detail?.responses, id);
}
