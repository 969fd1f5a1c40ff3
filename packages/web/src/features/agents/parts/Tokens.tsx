/** Enrolment tokens of a client: usage, expiry and revocation. */
import Button from '@mui/material/Button';
import type { EnrolmentToken } from '@parapet/contract/agents.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime, useTick } from '../../../kit/RelativeTime.tsx';
import { FactRow, RowList } from '../../../kit/RowList.tsx';
import { Nothing } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { tokensQuery, useRevokeToken } from '../agents.queries.ts';
import { NewToken } from './NewToken.tsx';

export function Tokens({ client }: { client: number }) {
  const query = useQuery(tokensQuery(client));
  const [isMaking, setMaking] = useState(false);
  return (
    <Card
      title="Enrolment tokens"
      purpose="An agent exchanges its token for its own key. Tokens are limited, expire and can be revoked."
    >
      <div style={{ display: 'grid', gap: 16 }}>
        <div>
          <Button variant="contained" size="small" startIcon={<AddRounded />} onClick={() => setMaking(true)}>
            New token
          </Button>
        </div>
        <RowList
          label="Enrolment tokens"
          what="tokens"
          query={query}
          empty={<Nothing>No tokens yet. Create one to install the agent on a host.</Nothing>}
        >
          {(token) => <Token key={token.id} token={token} />}
        </RowList>
      </div>
      {isMaking && <NewToken client={client} onClose={() => setMaking(false)} />}
    </Card>
  );
}

function Token({ token }: { token: EnrolmentToken }) {
  const { timeZone } = useScope();
  const revoke = useRevokeToken();
  const [isConfirming, setConfirming] = useState(false);
  const state = useTick((now) =>
    token.revokedAt
      ? 'Revoked'
      : Date.parse(token.expiresAt) <= now
        ? 'Expired'
        : token.uses >= token.maxUses
          ? 'Exhausted'
          : 'Active',
  );
  return (
    <FactRow
      name={token.name}
      minWidth={120}
      facts={[
        { name: 'State', value: state },
        { name: 'Prefix', value: <MonoText>{`${token.prefix}…`}</MonoText> },
        { name: 'Used', value: `${exact(token.uses)} of ${exact(token.maxUses)}` },
        {
          name: state === 'Expired' ? 'Expired' : 'Expires',
          value: <RelativeTime at={token.expiresAt} timeZone={timeZone} />,
        },
        { name: 'Created', value: <RelativeTime at={token.createdAt} timeZone={timeZone} /> },
      ]}
      action={state === 'Active' && { text: 'Revoke', onClick: () => setConfirming(true) }}
    >
      <ConfirmDialog
        isOpen={isConfirming}
        title="Revoke this token?"
        isBusy={revoke.isPending}
        onNo={() => setConfirming(false)}
        onYes={() =>
          revoke.mutate(
            { params: { client: token.clientOrganizationID, token: token.id } },
            { onSettled: () => setConfirming(false) },
          )
        }
      >
        No more agents can enrol with <VisibleText text={token.name} />. Enrolled agents stay connected. This can’t be undone.
      </ConfirmDialog>
    </FactRow>
  );
}
