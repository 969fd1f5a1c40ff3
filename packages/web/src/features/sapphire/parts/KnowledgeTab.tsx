/** Submitted knowledge. Approved entries are used in replies for their organisation and its clients. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { SapphireKnowledge } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { RowList } from '../../../kit/RowList.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { pagingOf } from '../../../lib/paging.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { knowledgeQuery, sapphireList, useAddKnowledge, useCorrectKnowledge, useReviewKnowledge } from '../sapphire.queries.ts';
import { useClientName } from '../useClientName.ts';
import { Column } from './administration.styles.ts';
import { WriteKnowledge } from './WriteKnowledge.tsx';

const stateText = { pending: 'Pending review', approved: 'Used in answers', rejected: 'Rejected' } as const;

export function KnowledgeTab() {
  const { client, clientName, timeZone } = useScope();
  const list = useListState(sapphireList);
  const query = useQuery(knowledgeQuery(client, list.query));
  const [corrected, setCorrected] = useState<SapphireKnowledge>();
  const [isWriting, setWriting] = useState(false);
  const [add, review, correct] = [useAddKnowledge(), useReviewKnowledge(), useCorrectKnowledge()];
  const busy = review.isPending ? review.variables.row.id : undefined;
  const nameOf = useClientName();
  return (
    <Column>
      {client !== allClients && (
        <div>
          <Button variant="contained" onClick={() => setWriting(true)}>
            Add knowledge
          </Button>
        </div>
      )}
      <RowList
        query={query}
        label="Knowledge"
        what="knowledge"
        rowHeight={64}
        paging={pagingOf(list, query.data?.total)}
        empty={
          <EmptyState
            title="No knowledge yet"
            text="Knowledge submitted in Sapphire’s training form appears here for review. You can also convert questions into knowledge."
          />
        }
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
                {client === allClients && (
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
                <Button
                  size="small"
                  variant="outlined"
                  disabled={busy === row.id}
                  onClick={() => review.mutate({ row, state: 'approved' })}
                >
                  Approve
                </Button>
              )}
              {row.state !== 'rejected' && (
                <Button size="small" disabled={busy === row.id} onClick={() => review.mutate({ row, state: 'rejected' })}>
                  Reject
                </Button>
              )}
              <Button size="small" onClick={() => setCorrected(row)}>
                Correct
              </Button>
            </div>
          </Row>
        )}
      </RowList>
      {corrected && (
        <WriteKnowledge
          title="Correct and approve"
          text={corrected.text}
          onSave={(text) => correct.mutateAsync({ row: corrected, state: 'approved', text })}
          onClose={() => setCorrected(undefined)}
        />
      )}
      {isWriting && (
        <WriteKnowledge
          title={`Knowledge for ${clientName || 'your organisation'}`}
          text=""
          onSave={(text) => add.mutateAsync({ params: { client }, body: { text } })}
          onClose={() => setWriting(false)}
        />
      )}
    </Column>
  );
}
