/** Assistants that act for the user through MCP, with consent. */
import Button from '@mui/material/Button';
import type { AssistantGrant } from '@parapet/contract/assistants.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { assistantScopeTexts } from '../../../lib/assistantScopes.ts';
import { useScope } from '../../../lib/scope.ts';
import { assistantsQuery, useRevokeAssistant } from '../account.queries.ts';

export function Assistants() {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(assistantsQuery());
  const [ended, setEnded] = useState<AssistantGrant>();
  const revoke = useRevokeAssistant();
  const close = () => setEnded(undefined);
  return (
    <Card isWide title="Assistants" purpose="Programs that connected through MCP with your consent. They act with your rights.">
      {!data &&
        (error ? (
          <FailedState what="assistants" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={2} lineHeight={48} />
        ))}
      {data?.total === 0 && (
        <EmptyState
          title="No assistants yet"
          text="Add this portal’s address with /mcp at the end to an assistant that supports MCP."
        />
      )}
      {data && data.total > 0 && (
        <Rows aria-label="Assistants">
          {data.results.map((each) => (
            <Row key={each.id} aria-label={each.client}>
              <div className="fields">
                <strong style={{ display: 'block', marginBottom: 8 }}>
                  <VisibleText text={each.client} />
                </strong>
                <DefinitionList
                  minWidth={140}
                  facts={[
                    { name: 'Given to', value: <VisibleText text={each.redirectHost} /> },
                    { name: 'Access', value: each.scopes.map((scope) => assistantScopeTexts[scope].title).join(', ') },
                    { name: 'Allowed', value: <RelativeTime at={each.createdAt} timeZone={timeZone} /> },
                    {
                      name: 'Last used',
                      value: each.lastUsedAt ? <RelativeTime at={each.lastUsedAt} timeZone={timeZone} /> : 'Never',
                    },
                    {
                      name: 'State',
                      value: each.revokedAt ? (
                        <>
                          Ended <RelativeTime at={each.revokedAt} timeZone={timeZone} />
                        </>
                      ) : (
                        'Active'
                      ),
                    },
                  ]}
                />
              </div>
              {!each.revokedAt && (
                <span className="buttons">
                  <Button size="small" color="error" aria-label={`End access of ${each.client}`} onClick={() => setEnded(each)}>
                    End access
                  </Button>
                </span>
              )}
            </Row>
          ))}
        </Rows>
      )}
      <ConfirmDialog
        isOpen={ended !== undefined}
        title="End this access?"
        isBusy={revoke.isPending}
        onNo={close}
        onYes={() => ended && revoke.mutate({ params: { id: ended.id } }, { onSuccess: close })}
      >
        <VisibleText text={ended?.client ?? ''} /> is refused immediately. To connect again it needs your consent.
      </ConfirmDialog>
    </Card>
  );
}
