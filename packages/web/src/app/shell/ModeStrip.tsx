/** Strip below the toolbar for the provider’s Host: safe mode, and the pause after a restore. */
import { styled } from '@mui/material/styles';
import { providerId } from '@parapet/contract/access.ts';
import { operationsApi } from '@parapet/contract/operations.ts';
import { useQuery } from '@tanstack/react-query';
import { WarningAmberRounded } from '../../kit/icons/WarningAmberRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useScope } from '../../lib/scope.ts';

const pollMs = 5 * 60_000;

const Strip = styled('section')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '2px 10px',
  padding: '6px 24px',
  borderBottom: `1px solid ${palette.divider}`,
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  '& > svg': { fontSize: 16, flex: 'none', color: palette.warning.main },
  '& strong': { fontWeight: 600, color: palette.text.primary },
  '@media (max-width: 599.95px)': { padding: '6px 16px' },
});

const texts = {
  safe: ['Safe mode', 'Jobs, connections, deliveries, emails and agent tasks are off. Events are still accepted.'],
  paused: ['Restored portal', 'Deliveries, connections, agent tasks and earlier emails are paused.'],
} as const;

const modeQuery = { ...queryOptionsOf(operationsApi.mode, {}), staleTime: pollMs, refetchInterval: pollMs };

/** Renders nothing in normal operation, and for all others. */
export function ModeStrip() {
  const { may, user } = useScope();
  const { data } = useQuery({ ...modeQuery, enabled: may('operations:read') && user.clientOrganizationID === providerId });
  const mode = data?.isSafeMode ? 'safe' : data?.isPaused ? 'paused' : undefined;
  if (!mode) return null;
  const [title, text] = texts[mode];
  return (
    <Strip className="no-print" aria-label={title}>
      <WarningAmberRounded aria-hidden />
      <strong>{title}</strong>
      <span>{text}</span>
      <AppLink href={paths.operations()}>Operations</AppLink>
    </Strip>
  );
}
