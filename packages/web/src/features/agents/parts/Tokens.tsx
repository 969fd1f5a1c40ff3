/** The enrolment tokens of a client: how far they are used up, and how they are revoked. */
import AddRounded from '@mui/icons-material/AddRounded';
import Button from '@mui/material/Button';
import type { EnrolmentToken } from '@parapet/contract/agents.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime, useTick } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { tokensQuery, useRevokeToken } from '../agents.queries.ts';
import { NewToken } from './NewToken.tsx';

export function Tokens({ client }: { client: number }) {
  const { data, error, refetch } = useQuery(tokensQuery(client));
  const [isMaking, setMaking] = useState(false);
  const tokens = data?.results;
  return (
    <Card title="Enrolment tokens" purpose="An agent shows one once, and gets a key of its own. Limited, expiring, revocable.">
      <div style={{ display: 'grid', gap: 16 }}>
        <div>
          <Button variant="contained" size="small" startIcon={<AddRounded />} onClick={() => setMaking(true)}>
            New token
          </Button>
        </div>
        {!tokens &&
          (error ? (
            <FailedState what="tokens" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={3} lineHeight={48} />
          ))}
        {tokens?.length === 0 && <Nothing>There is no token yet. Make one to install the agent on a host.</Nothing>}
        {tokens && tokens.length > 0 && (
          <Rows aria-label="Enrolment tokens">
            {tokens.map((token) => (
              <Token key={token.id} token={token} />
            ))}
          </Rows>
        )}
      </div>
      {isMaking && <NewToken client={client} onClose={() => setMaking(false)} />}
    </Card>
  );
}

function Token({ token }: { token: EnrolmentToken }) {
  const { timeZone } = useScope();
  const revoke = useRevokeToken();
  const [isAsked, setAsked] = useState(false);
  const state = useTick((now) =>
    token.revokedAt
      ? 'Revoked'
      : Date.parse(token.expiresAt) <= now
        ? 'Expired'
        : token.uses >= token.maxUses
          ? 'Used up'
          : 'Works',
  );
  return (
    <Row aria-label={token.name}>
      <div className="fields">
        <strong>
          <VisibleText text={token.name} />
        </strong>
        <DefinitionList
          minWidth={120}
          facts={[
            { name: 'State', value: state },
            { name: 'Begins with', value: <MonoText>{`${token.prefix}…`}</MonoText> },
            { name: 'Used', value: `${exact(token.uses)} of ${exact(token.maxUses)}` },
            {
              name: state === 'Expired' ? 'Worked until' : 'Works until',
              value: <RelativeTime at={token.expiresAt} timeZone={timeZone} />,
            },
            { name: 'Made', value: <RelativeTime at={token.createdAt} timeZone={timeZone} /> },
          ]}
        />
      </div>
      {state === 'Works' && (
        <span className="buttons">
          <Button size="small" color="error" aria-label={`Revoke ${token.name}`} onClick={() => setAsked(true)}>
            Revoke
          </Button>
        </span>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        title="Revoke the token?"
        isBusy={revoke.isPending}
        onNo={() => setAsked(false)}
        onYes={() => revoke.mutate({ client: token.clientOrganizationID, token: token.id }, { onSettled: () => setAsked(false) })}
      >
        No further agent enrols with <VisibleText text={token.name} />. Those that enrolled with it stay. It cannot be undone.
      </ConfirmDialog>
    </Row>
  );
}
