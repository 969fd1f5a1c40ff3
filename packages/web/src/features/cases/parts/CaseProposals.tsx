/** Notes and responses that assistants proposed for a case. A person accepts each as their own, or dismisses it. */
import Button from '@mui/material/Button';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { type Proposal, proposalsApi } from '@parapet/contract/proposals.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { responseTexts } from '../../responses/responseTexts.ts';
import { refreshCase } from '../caseCache.ts';
import { caseProposalsQuery } from '../cases.queries.ts';
import { NoteText } from './NoteText.tsx';
import { NoteVisibility } from './NoteVisibility.tsx';

/** Nothing without a proposal; a failure is shown by the page itself. */
export function CaseProposals({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const caseId = detail.caseGeneralInfo.id;
  const { data } = useQuery({ ...caseProposalsQuery(caseId), enabled: detail.can.write });
  const [warned, setWarned] = useState<Proposal>();
  const queries = useQueryClient();
  const decide = useApiMutation(proposalsApi.decide, {
    invalidates: [proposalsApi.list],
    success: (_, { body }) => (body.isAccepted ? 'Proposal accepted.' : 'Proposal dismissed.'),
    failure: 'Couldn’t update the proposal.',
    topic: 'case',
    onSuccess: () => void refreshCase(queries, caseId),
  });
  if (!data || data.total === 0) return null;
  const accept = (proposal: Proposal, acknowledgesWarning = false) =>
    decide.mutate({ params: { id: proposal.id }, body: { isAccepted: true, acknowledgesWarning } });
  return (
    <Panel title="Proposals">
      <ul
        aria-label="Proposals"
        style={{ display: 'grid', gap: 16, margin: 0, padding: '0 16px 16px', fontSize: 13, minWidth: 0, listStyle: 'none' }}
      >
        {data.results.map((proposal) => (
          <li key={proposal.id} style={{ display: 'grid', gap: 8, minWidth: 0, overflowWrap: 'anywhere' }}>
            <Heading proposal={proposal} />
            <NoteText text={proposal.text} />
            {proposal.response?.warning && (
              <Note tone="warning">
                <VisibleText text={proposal.response.warning} />
              </Note>
            )}
            <span style={{ fontSize: 12 }}>
              By an assistant of <VisibleText text={proposal.proposedBy} />,{' '}
              <RelativeTime at={proposal.proposedAt} timeZone={timeZone} />. May repeat text of attackers.
            </span>
            <div style={{ display: 'flex', gap: 8 }}>
              <Button
                size="small"
                variant="outlined"
                disabled={decide.isPending}
                onClick={() => (proposal.response?.warning ? setWarned(proposal) : accept(proposal))}
              >
                {proposal.kind === 'note' ? 'Save as my note' : 'Request response'}
              </Button>
              <Button
                size="small"
                disabled={decide.isPending}
                onClick={() => decide.mutate({ params: { id: proposal.id }, body: { isAccepted: false } })}
              >
                Dismiss
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={warned !== undefined}
        title="Request this response?"
        onYes={() => {
          if (warned) accept(warned, true);
          setWarned(undefined);
        }}
        onNo={() => setWarned(undefined)}
      >
        <VisibleText text={warned?.response?.warning ?? ''} />
      </ConfirmDialog>
    </Panel>
  );
}

function Heading({ proposal: { response, isInternal } }: { proposal: Proposal }) {
  if (!response)
    return (
      <span style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <b>Note</b> <NoteVisibility isInternal={isInternal} />
      </span>
    );
  return (
    <b>
      {responseTexts(response.action).name} <VisibleText text={response.target} />
      {response.deviceName && (
        <>
          {' '}
          on <VisibleText text={response.deviceName} />
        </>
      )}
    </b>
  );
}
