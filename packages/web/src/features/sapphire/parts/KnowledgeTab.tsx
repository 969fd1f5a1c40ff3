/** What was submitted: used once it is approved, for its organisation and those below. */
import Button from '@mui/material/Button';
import type { SapphireKnowledge } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { useSearchState } from '../../../lib/address.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { knowledgeQuery, useAddKnowledge, useReview } from '../sapphire.queries.ts';
import { Column, Paged, pagingIn } from './Paged.tsx';
import { WriteKnowledge } from './WriteKnowledge.tsx';

const stateText = { pending: 'Waits for review', approved: 'Used in answers', rejected: 'Rejected' } as const;

export function KnowledgeTab() {
  const { client, clientName, clients, timeZone } = useScope();
  const { search } = useSearchState();
  const paging = pagingIn(search);
  const query = useQuery(knowledgeQuery(client, paging));
  const [corrected, setCorrected] = useState<SapphireKnowledge>();
  const [isWriting, setWriting] = useState(false);
  const [busy, setBusy] = useState<number>();
  const add = useAddKnowledge();
  const review = useReview();
  const nameOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `Organisation ${id}`;
  const decide = async (row: SapphireKnowledge, state: 'approved' | 'rejected') => {
    setBusy(row.id);
    try {
      await review(row, state);
      toast.success(state === 'approved' ? 'It is used in answers from now on' : 'It is not used in answers');
    } catch (error) {
      toast.error(`It could not be saved. ${error instanceof Error ? error.message : ''}`);
    }
    setBusy(undefined);
  };
  return (
    <Column>
      {client !== 0 && (
        <div>
          <Button variant="contained" onClick={() => setWriting(true)}>
            Add knowledge
          </Button>
        </div>
      )}
      <Paged
        query={query}
        label="Knowledge"
        paging={paging}
        empty={{
          title: 'No knowledge yet',
          text: 'What teachers submit in Sapphire’s training form waits here for review. Questions can be turned into knowledge too.',
        }}
      >
        {(row) => (
          <Row key={row.id} aria-label={visibleText(row.text.slice(0, 120))}>
            <div className="fields">
              <p className="text">
                <VisibleText text={row.text} keepLines />
              </p>
              <p className="facts">
                <strong>{stateText[row.state]}</strong>
                <span>
                  By <VisibleText text={row.author} />, <RelativeTime at={row.createdAt} timeZone={timeZone} />
                </span>
                {client === 0 && (
                  <span>
                    <VisibleText text={nameOf(row.clientOrganizationID)} />
                  </span>
                )}
                {row.reviewedAt && row.reviewer && (
                  <span>
                    Decided by <VisibleText text={row.reviewer} />, <RelativeTime at={row.reviewedAt} timeZone={timeZone} />
                  </span>
                )}
              </p>
            </div>
            <div className="buttons">
              {row.state !== 'approved' && (
                <Button size="small" variant="outlined" disabled={busy === row.id} onClick={() => void decide(row, 'approved')}>
                  Approve
                </Button>
              )}
              {row.state !== 'rejected' && (
                <Button size="small" disabled={busy === row.id} onClick={() => void decide(row, 'rejected')}>
                  Reject
                </Button>
              )}
              <Button size="small" onClick={() => setCorrected(row)}>
                Correct
              </Button>
            </div>
          </Row>
        )}
      </Paged>
      {corrected && (
        <WriteKnowledge
          title="Correct and approve"
          text={corrected.text}
          onSave={(text) => review(corrected, 'approved', text)}
          onClose={() => setCorrected(undefined)}
        />
      )}
      {isWriting && (
        <WriteKnowledge
          title={`Knowledge for ${clientName || 'your organisation'}`}
          text=""
          onSave={(text) => add(client, text, undefined)}
          onClose={() => setWriting(false)}
        />
      )}
    </Column>
  );
}
