/** Emails the newest narrative of a case to its client, with the preview of the case page, editable before it leaves. */
import Button from '@mui/material/Button';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import type { ReviewRow } from '@parapet/contract/reviews.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Modal } from '../../../kit/Modal.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { SendMail } from '../../cases/parts/SendMail.tsx';
import { caseQuery, staleByReview } from '../reviews.queries.ts';

interface Props {
  row: ReviewRow;
  timeZone: string;
}

export function NarrativeMail({ row, timeZone }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="Narrative">
      <h3>Narrative</h3>
      <div className="acts">
        <Button size="small" variant="outlined" onClick={() => setOpen(true)}>
          Send narrative email…
        </Button>
      </div>
      {isOpen && <NewestNarrative row={row} timeZone={timeZone} onClose={() => setOpen(false)} />}
    </section>
  );
}

function NewestNarrative({ row, timeZone, onClose }: Props & { onClose: () => void }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(caseQuery(row.caseID, row.clientOrganizationID));
  const narrative = data?.caseNarrative[0];
  if (data && narrative && !narrative.emailSentTimestamp)
    return (
      <SendMail
        kind="narrative"
        detail={data}
        narrativeId={narrative.id}
        onClose={onClose}
        onSent={() => {
          onClose();
          for (const { id } of [...staleByReview, caseMailsApi.listOfCase]) void queries.invalidateQueries({ queryKey: [id] });
        }}
      />
    );
  const write = (
    <>
      Write one in <AppLink href={paths.case(row.caseID)}>case {row.caseID}</AppLink>.
    </>
  );
  return (
    <Unsendable onClose={onClose}>
      {!data ? (
        error ? (
          <FailedLine what="the narrative" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} />
        )
      ) : narrative?.emailSentTimestamp ? (
        <>
          The newest narrative was emailed <AbsoluteTime at={narrative.emailSentTimestamp} timeZone={timeZone} />. {write}
        </>
      ) : (
        <>This case has no narrative yet. {write}</>
      )}
    </Unsendable>
  );
}

const Unsendable = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => (
  <Modal title="Email this narrative?" onClose={onClose} sx={{ fontSize: 14 }} actions={<Button onClick={onClose}>Close</Button>}>
    {children}
  </Modal>
);
