/** Emails of a case with their delivery state; sends escalations, updates and custom emails after a preview. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type CaseMail, caseMailsApi } from '@parapet/contract/caseMails.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { MailStateMark } from '../../outbox/mailColumns.tsx';
import { recount, refreshCase } from '../caseCache.ts';
import { caseMailsQuery } from '../cases.queries.ts';
import { disabledReason } from '../caseTexts.ts';
import { CustomMail } from '../parts/CustomMail.tsx';
import { SendMail } from '../parts/SendMail.tsx';
import type { TabProps } from './tab.ts';

const kindLabel: Record<CaseMail['kind'], string> = {
  escalation: 'Escalation',
  update: 'Update',
  narrative: 'Narrative',
  custom: 'Custom',
  answer: 'Answer',
};
const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { padding: '10px 0', borderTop: `1px solid ${palette.divider}`, overflowWrap: 'anywhere' },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& .head': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '2px 10px' },
  '& .muted': { fontSize: 12, color: palette.text.secondary },
  '& .text': {
    marginTop: 6,
    padding: '8px 12px',
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
    whiteSpace: 'pre-line',
  },
});

export function MailTab({ detail, timeZone }: TabProps) {
  const queries = useQueryClient();
  const { caseGeneralInfo: info, can } = detail;
  const [openDialog, setOpenDialog] = useState<'escalation' | 'update' | 'custom'>();
  const emails = useQuery({ ...caseMailsQuery(info.clientOrganizationID, info.id), enabled: can.readMails });
  const reason = disabledReason.mail(can.mail);
  const sent = () => {
    setOpenDialog(undefined);
    recount(queries);
    void refreshCase(queries, info.id);
    void queries.invalidateQueries({ queryKey: [caseMailsApi.listOfCase.id] });
  };
  const button = (what: NonNullable<typeof openDialog>, text: string) => (
    <span title={reason}>
      <Button size="small" variant="outlined" disabled={reason !== undefined} onClick={() => setOpenDialog(what)}>
        {text}
      </Button>
    </span>
  );
  return (
    <>
      <Box className="no-print" sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 2 }}>
        {button('escalation', 'Escalate to client')}
        {button('update', 'Send update')}
        {button('custom', 'Write email')}
      </Box>
      <Section title="Emails">
        {!can.readMails ? (
          <EmptyState title="Case emails" text={disabledReason.readMails(can.readMails)} />
        ) : emails.data === undefined ? (
          emails.error ? (
            <FailedState what="emails" error={emails.error} onRetry={() => void emails.refetch()} />
          ) : (
            <TextSkeleton lines={6} />
          )
        ) : emails.data.results.length === 0 ? (
          <EmptyState title="No emails yet" text="Emails about this case appear here with their delivery state." />
        ) : (
          <List>
            {emails.data.results.map((mail) => (
              <One key={mail.id} mail={mail} timeZone={timeZone} />
            ))}
          </List>
        )}
      </Section>
      {openDialog && openDialog !== 'custom' && (
        <SendMail kind={openDialog} detail={detail} onClose={() => setOpenDialog(undefined)} onSent={sent} />
      )}
      {openDialog === 'custom' && <CustomMail detail={detail} onClose={() => setOpenDialog(undefined)} onSent={sent} />}
    </>
  );
}

function One({ mail, timeZone }: { mail: CaseMail; timeZone: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div className="head">
        <b>
          <VisibleText text={mail.subject} />
        </b>
        <MailStateMark state={mail.state} />
      </div>
      <div className="muted">
        {kindLabel[mail.kind]} · <AbsoluteTime at={mail.sentTime ?? mail.createdTime} timeZone={timeZone} /> ·{' '}
        <VisibleText text={mail.sentBy} />
        {mail.to && (
          <>
            {' · To '}
            <VisibleText text={mail.to} />
          </>
        )}
        {mail.cc && (
          <>
            {' · Cc '}
            <VisibleText text={mail.cc} />
          </>
        )}
      </div>
      {mail.error && (
        <div className="muted">
          Mail server error: <VisibleText text={mail.error} />
        </div>
      )}
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} sx={{ minWidth: 0, ml: -0.75, fontSize: 12 }}>
        {isOpen ? 'Hide message' : 'Show message'}
      </Button>
      {isOpen && (
        <div className="text">
          <VisibleText text={mail.text} keepLines />
        </div>
      )}
    </li>
  );
}
