/** Header of the alert page: severity, rule, actions, and a warning about an implausible source clock, which affects every time shown. */
import Box from '@mui/material/Box';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SeverityChip } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { paths } from '../../../lib/paths.ts';
import { AlertActions } from './AlertActions.tsx';

const skew = {
  future: 'The source clock is ahead. Times are shown as reported by the source. The portal raised this alert',
  past: 'The source clock is far behind. Times are shown as reported by the source. The portal raised this alert',
};

export function AlertHeader({ alert, back, timeZone }: { alert: AlertDetail; back: ReactNode; timeZone: string }) {
  return (
    <>
      {back}
      <PageHeader
        above={
          <>
            <SeverityChip severity={alert.severity} />
            <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', fontSize: 13, color: 'text.secondary' }}>
              <Mono text={`#${alert.id}`} />
              <CopyButton text={() => location.origin + paths.alert(alert.id)} label="Copy link to this alert" />
            </Box>
            <Box component="span" sx={{ fontSize: 13, color: 'text.secondary' }}>
              {alert.status === 'new' ? 'New' : 'Seen'}
            </Box>
          </>
        }
        title={<VisibleText text={alert.rule} />}
        purpose={<VisibleText text={alert.category} />}
        actions={<AlertActions alert={alert} />}
      />
      {alert.clockSkew !== 'none' && (
        <Box
          role="note"
          sx={{
            display: 'flex',
            gap: 1,
            alignItems: 'flex-start',
            mb: 2,
            px: 1.5,
            py: 1,
            fontSize: 13,
            border: '1px dashed',
            borderColor: 'text.secondary',
            borderRadius: 1,
          }}
        >
          <ScheduleRounded aria-hidden sx={{ fontSize: 18, mt: '1px', color: 'text.secondary' }} />
          <span>
            {skew[alert.clockSkew]} <AbsoluteTime at={alert.raisedAt} timeZone={timeZone} />.
          </span>
        </Box>
      )}
    </>
  );
}
