/** Unanswered questions and unhelpful replies, which can be converted into knowledge. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { SapphireQuestion } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { RowList } from '../../../kit/RowList.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { pagingOf } from '../../../lib/paging.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { questionsQuery, sapphireList, useAddKnowledge } from '../sapphire.queries.ts';
import { useClientName } from '../useClientName.ts';
import { Column } from './administration.styles.ts';
import { WriteKnowledge } from './WriteKnowledge.tsx';

const reasonText = { unanswered: 'Not answered', unhelpful: 'Not helpful' } as const;
const knowledgeFrom = ({ question }: SapphireQuestion) => `Question: ${question}\nAnswer: `;

export function QuestionsTab() {
  const { client, timeZone } = useScope();
  const list = useListState(sapphireList);
  const query = useQuery(questionsQuery(client, list.query));
  const [chosen, setChosen] = useState<SapphireQuestion>();
  const add = useAddKnowledge();
  const nameOf = useClientName();
  return (
    <Column>
      <RowList
        query={query}
        label="Questions"
        what="questions"
        rowHeight={64}
        paging={pagingOf(list, query.data?.total)}
        empty={
          <EmptyState
            title="No open questions"
            text="Questions that Sapphire couldn’t answer and answers marked as not helpful appear here."
          />
        }
      >
        {(row) => (
          <Row key={row.id} aria-label={visibleText(row.question.slice(0, 120))}>
            <div className="fields">
              <p className="question">
                <VisibleText text={row.question} keepLines />
              </p>
              <p className="facts">
                <strong>{reasonText[row.reason]}</strong>
                <span>
                  <VisibleText text={row.askedBy} />
                </span>
                {client === allClients && (
                  <span>
                    <VisibleText text={nameOf(row.clientOrganizationID)} />
                  </span>
                )}
                <RelativeTime at={row.askedAt} timeZone={timeZone} />
              </p>
              {row.feedback && (
                <p className="text">
                  Feedback: <VisibleText text={row.feedback} keepLines />
                </p>
              )}
              {row.answer && (
                <details>
                  <summary>Answer</summary>
                  <p className="text">
                    <VisibleText text={row.answer} keepLines />
                  </p>
                  {row.understood && (
                    <p className="facts">
                      <span>
                        Understood as: <VisibleText text={row.understood} />
                      </span>
                    </p>
                  )}
                </details>
              )}
            </div>
            <div className="buttons">
              <Button size="small" variant="outlined" onClick={() => setChosen(row)}>
                Convert to knowledge
              </Button>
              <Button
                size="small"
                component={AppLink}
                href={paths.sapphire({ client: row.clientOrganizationID, tab: 'synonyms' })}
              >
                Add synonym
              </Button>
            </div>
          </Row>
        )}
      </RowList>
      {chosen && (
        <WriteKnowledge
          title={`Knowledge for ${nameOf(chosen.clientOrganizationID)}`}
          text={knowledgeFrom(chosen)}
          onSave={(text) =>
            add.mutateAsync({ params: { client: chosen.clientOrganizationID }, body: { text, questionID: chosen.id } })
          }
          onClose={() => setChosen(undefined)}
        />
      )}
    </Column>
  );
}
