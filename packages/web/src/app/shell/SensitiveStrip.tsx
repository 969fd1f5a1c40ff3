/** Strip below the toolbar that prompts for the reason of a sensitive view on the page. It blocks nothing. */
import { styled } from '@mui/material/styles';
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import { sensitiveViewTexts } from '@parapet/contract/rules/client-access-log.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { VisibilityOutlined } from '../../kit/icons/VisibilityOutlined.tsx';
import { palette } from '../../kit/palette.ts';
import { useScope } from '../../lib/scope.ts';
import { openedViews } from '../../lib/sensitive.ts';
import { useStore } from '../../lib/store.ts';
import { ReasonForm } from './ReasonForm.tsx';
import { reasonQuery } from './reasons.ts';

const Strip = styled('section')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 12px',
  padding: '8px 24px',
  borderBottom: `1px solid ${palette.divider}`,
  fontSize: 13,
  color: palette.text.secondary,
  '& > svg': { fontSize: 18, flex: 'none', color: palette.warning.main },
  '& > .text': { flex: '1 1 220px', minWidth: 0 },
  '& strong': { fontWeight: 600, color: palette.text.primary },
  '@media (max-width: 599.95px)': { padding: '8px 16px' },
});

/** Repeated requests of one view refresh the state so often. */
const refreshMs = 15_000;

export function SensitiveStrip() {
  const { may, client } = useScope();
  const isStaff = may('organisations:read');
  const { data } = useQuery({ ...reasonQuery, enabled: isStaff });
  const path = useLocation({ select: ({ pathname }) => pathname });
  const opened = useStore(openedViews).filter((view) => view.path === path);
  const queries = useQueryClient();
  const refreshed = useRef(new Map<string, number>());
  const key = opened.map(({ view }) => view).join();
  useEffect(() => {
    const now = Date.now();
    const of = `${client} ${path} ${key}`;
    if (!isStaff || key === '' || now - (refreshed.current.get(of) ?? 0) < refreshMs) return;
    refreshed.current.set(of, now);
    void queries.invalidateQueries({ queryKey: [clientAccessLogApi.getReason.id] });
  }, [isStaff, client, path, key, queries]);
  const view = opened.find((one) => data?.missing.includes(one.view))?.view;
  if (!view) return null;
  return (
    <Strip key={view} className="no-print" aria-label="Reason for a sensitive view">
      <VisibilityOutlined aria-hidden />
      <span className="text">
        <strong>{sensitiveViewTexts[view]}</strong>: clients see each access, with your reason.
      </span>
      <ReasonForm view={view} />
    </Strip>
  );
}
