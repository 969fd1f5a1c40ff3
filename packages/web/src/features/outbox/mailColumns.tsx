/** Columns and card of the email outbox. */
import { styled } from '@mui/material/styles';
import type { MailRow } from '@parapet/contract/outbox.ts';
import { CardTitle } from '../../kit/CardTitle.tsx';
import { clientColumn } from '../../kit/cells.tsx';
import { CheckRounded } from '../../kit/icons/CheckRounded.tsx';
import { ErrorOutlineRounded } from '../../kit/icons/ErrorOutlineRounded.tsx';
import { InboxRounded } from '../../kit/icons/InboxRounded.tsx';
import { ScheduleRounded } from '../../kit/icons/ScheduleRounded.tsx';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import type { Column } from '../../kit/table.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import type { MailState } from './outbox.queries.ts';

export const stateLabel: Record<MailState, string> = { kept: 'Not sent', waiting: 'Waiting', sent: 'Sent', failed: 'Failed' };
export const stateText: Record<MailState, string> = {
  kept: 'No mail server configured.',
  waiting: 'Waiting to be sent.',
  sent: 'Sent: accepted by the mail server.',
  failed: 'Failed: rejected by the mail server. No more attempts.',
};
const icons = { kept: InboxRounded, waiting: ScheduleRounded, sent: CheckRounded, failed: ErrorOutlineRounded } as const;

const Line = styled('span')({ display: 'inline-flex', alignItems: 'center', gap: 6, '& svg': { fontSize: 16 } });

export function MailStateMark({ state }: { state: MailState }) {
  const Icon = icons[state];
  return (
    <Line title={stateText[state]}>
      <Icon aria-hidden color={state === 'failed' ? 'error' : 'action'} />
      {stateLabel[state]}
    </Line>
  );
}

export function mailColumns({ timeZone, hasClients }: { timeZone: string; hasClients: boolean }): Column<MailRow>[] {
  return [
    { id: 'at', header: 'Created', width: 120, cell: (mail) => <RelativeTime at={mail.createdAt} timeZone={timeZone} /> },
    { id: 'subject', header: 'Subject', flex: 2, width: 220, isFixed: true, cell: (mail) => <VisibleText text={mail.subject} /> },
    { id: 'to', header: 'To', flex: 1, width: 190, hidePriority: 1, cell: (mail) => <VisibleText text={mail.to} /> },
    ...clientColumn(hasClients, { width: 140, hidePriority: 2 }),
    { id: 'state', header: 'State', width: 110, cell: (mail) => <MailStateMark state={mail.state} /> },
  ];
}

export function MailCard({ mail, timeZone, onPreview }: { mail: MailRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <CardTitle onPreview={onPreview}>
        <VisibleText text={mail.subject} />
      </CardTitle>
      <span style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={mail.to} />
      </span>
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <MailStateMark state={mail.state} />
        <RelativeTime at={mail.createdAt} timeZone={timeZone} />
      </span>
    </div>
  );
}
