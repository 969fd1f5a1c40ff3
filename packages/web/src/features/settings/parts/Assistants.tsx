/** Assistants that act for the user through MCP, with consent. */
import type { AssistantGrant } from '@parapet/contract/assistants.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { RelativeTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { FactRow, RowList } from '../../../kit/RowList.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { assistantScopeTexts } from '../../../lib/assistantScopes.ts';
import { useScope } from '../../../lib/scope.ts';
import { assistantsQuery, useRevokeAssistant } from '../account.queries.ts';

export function Assistants() {
  const { timeZone } = useScope();
  const query = useQuery(assistantsQuery());
  const [ended, setEnded] = useState<AssistantGrant>();
  const revoke = useRevokeAssistant();
  const close = () => setEnded(undefined);
  return (
    <Card isWide title="Assistants" purpose="Programs that connected through MCP with your consent. They act with your rights.">
      <RowList
        label="Assistants"
        what="assistants"
        query={query}
        empty={
          <EmptyState
            title="No assistants yet"
            text="Add this portal’s address with /mcp at the end to an assistant that supports MCP."
          />
        }
      >
        {(each) => (
          <FactRow
            key={each.id}
            name={each.client}
            facts={[
              { name: 'Given to', value: <VisibleText text={each.redirectHost} /> },
              { name: 'Access', value: each.scopes.map((scope) => assistantScopeTexts[scope].title).join(', ') },
              { name: 'Allowed', value: <RelativeTime at={each.createdAt} timeZone={timeZone} /> },
              {
                name: 'Last used',
                value: <TimeOrNever at={each.lastUsedAt} timeZone={timeZone} />,
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
            action={
              !each.revokedAt && { text: 'End access', label: `End access of ${each.client}`, onClick: () => setEnded(each) }
            }
          />
        )}
      </RowList>
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
