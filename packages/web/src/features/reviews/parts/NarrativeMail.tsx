/** Mails the newest narrative of a case to its client; it is read before it goes. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ReviewRow } from '@parapet/contract/reviews.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { caseQuery, useNarrativeMail } from '../reviews.queries.ts';

const Text = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    marginTop: 12,
    padding: '10px 12px',
    maxHeight: 260,
    overflowY: 'auto',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontSize: 13,
    color: palette.text.primary,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
  };
});

export function NarrativeMail({ row, timeZone }: { row: ReviewRow; timeZone: string }) {
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({ ...caseQuery(row.caseID, row.clientOrganizationID), enabled: isAsking });
  const send = useNarrativeMail();
  const narrative = data?.caseNarrative[0];
  return (
    <section aria-label="Narrative">
      <h3>Narrative</h3>
      <div className="acts">
        <Button size="small" variant="outlined" onClick={() => setAsking(true)}>
          Send narrative mail…
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title="Mail this narrative to the client?"
        isBusy={send.isPending}
        isYesOff={!narrative}
        onNo={() => setAsking(false)}
        onYes={() => narrative && send.mutate({ body: { caseNarrativeID: narrative.id } }, { onSettled: () => setAsking(false) })}
      >
        {!data ? (
          error ? (
            <FailedLine what="the narrative" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={4} />
          )
        ) : narrative ? (
          <>
            It goes to the escalation addresses of <VisibleText text={row.clientOrganizationName} />.
            {narrative.emailSentTimestamp && (
              <>
                {' '}
                It was mailed before, <AbsoluteTime at={narrative.emailSentTimestamp} timeZone={timeZone} />.
              </>
            )}
            <Text tabIndex={0} role="group" aria-label="Narrative">
              <VisibleText text={narrative.text} keepLines />
            </Text>
          </>
        ) : (
          <>
            This case has no narrative yet. Write one on the page of{' '}
            <AppLink href={paths.case(row.caseID)}>case {row.caseID}</AppLink>.
          </>
        )}
      </ConfirmDialog>
    </section>
  );
}
