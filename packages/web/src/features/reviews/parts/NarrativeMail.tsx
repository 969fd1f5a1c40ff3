/** Emails the newest narrative of a case to its client after a preview. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ReviewRow } from '@parapet/contract/reviews.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { caseQuery, useNarrativeMail } from '../reviews.queries.ts';

const Text = styled('div')({
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
});

export function NarrativeMail({ row, timeZone }: { row: ReviewRow; timeZone: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const { data, error, refetch } = useQuery({ ...caseQuery(row.caseID, row.clientOrganizationID), enabled: isConfirming });
  const send = useNarrativeMail();
  const narrative = data?.caseNarrative[0];
  return (
    <section aria-label="Narrative">
      <h3>Narrative</h3>
      <div className="acts">
        <Button size="small" variant="outlined" onClick={() => setConfirming(true)}>
          Send narrative email…
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Email this narrative to the client?"
        isBusy={send.isPending}
        isYesOff={!narrative}
        onNo={() => setConfirming(false)}
        onYes={() =>
          narrative && send.mutate({ body: { caseNarrativeID: narrative.id } }, { onSettled: () => setConfirming(false) })
        }
      >
        {!data ? (
          error ? (
            <FailedLine what="the narrative" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={4} />
          )
        ) : narrative ? (
          <>
            Recipients: the escalation addresses of <VisibleText text={row.clientOrganizationName} />.
            {narrative.emailSentTimestamp && (
              <>
                {' '}
                Last sent <AbsoluteTime at={narrative.emailSentTimestamp} timeZone={timeZone} />.
              </>
            )}
            <Text tabIndex={0} role="group" aria-label="Narrative">
              <VisibleText text={narrative.text} keepLines />
            </Text>
          </>
        ) : (
          <>
            This case has no narrative yet. Write one in <AppLink href={paths.case(row.caseID)}>case {row.caseID}</AppLink>.
          </>
        )}
      </ConfirmDialog>
    </section>
  );
}
