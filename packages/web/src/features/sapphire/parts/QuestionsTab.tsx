/** Unanswered questions and unhelpful answers, which can be converted into knowledge. */
import Button from '@mui/material/Button';
import type { SapphireQuestion } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { pagingIn, questionsQuery, useAddKnowledge } from '../sapphire.queries.ts';
import { Column, Paged } from './Paged.tsx';
import { WriteKnowledge } from './WriteKnowledge.tsx';

const reasonText = { unanswered: 'Not answered', unhelpful: 'Not helpful' } as const;
const knowledgeFrom = ({ question }: SapphireQuestion) => `Question: ${question}\nAnswer: `;

export function QuestionsTab() {
  const { client, clients, timeZone } = useScope();
  const { search } = useSearchState();
  const paging = pagingIn(search);
  const query = useQuery(questionsQuery(client, paging));
  const [chosen, setChosen] = useState<SapphireQuestion>();
  const add = useAddKnowledge();
  const nameOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `Organisation ${id}`;
  return (
    <Column>
      <Paged
        query={query}
        label="Questions"
        paging={paging}
        empty={{
          title: 'No open questions',
          text: 'Questions that Sapphire couldn’t answer and answers marked as not helpful appear here.',
        }}
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
                {client === 0 && (
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
      </Paged>
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
