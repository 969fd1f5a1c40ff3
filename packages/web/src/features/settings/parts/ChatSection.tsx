/** The user’s accounts in chat, linked once by the link that the chat shows. */
import Button from '@mui/material/Button';
import type { ChatAccount } from '@parapet/contract/deliveryCallbacks.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { useScope } from '../../../lib/scope.ts';
import { chatAccountsQuery, useLinkChat, useUnlinkChat } from '../account.queries.ts';
import { chatLinkIn } from '../chatLink.ts';
import { Stack } from './settings.styles.ts';

export function ChatSection() {
  const { data, error, refetch } = useQuery(chatAccountsQuery());
  const accounts = data?.results;
  return (
    <Card isWide title="Chat" purpose="Accounts in Slack that acknowledge and take cases with your rights.">
      <Stack>
        <LinkDialog />
        {!accounts &&
          (error ? (
            <FailedState what="linked accounts" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={2} lineHeight={48} />
          ))}
        {accounts?.length === 0 && (
          <EmptyState
            title="No linked accounts"
            text="Press Acknowledge on a case in Slack: the portal replies with a link for your account."
          />
        )}
        {accounts && accounts.length > 0 && (
          <Rows aria-label="Linked accounts">
            {accounts.map((account) => (
              <AccountRow key={account.id} account={account} />
            ))}
          </Rows>
        )}
      </Stack>
    </Card>
  );
}

function AccountRow({ account }: { account: ChatAccount }) {
  const { timeZone } = useScope();
  const unlink = useUnlinkChat();
  const { id, name, product, workspace, linkedAt } = account;
  return (
    <Row aria-label={name}>
      <div className="fields">
        <strong style={{ display: 'block' }}>
          <VisibleText text={name} />
        </strong>
        {product}, workspace <VisibleText text={workspace} />, linked <RelativeTime at={linkedAt} timeZone={timeZone} />
      </div>
      <span className="buttons">
        <Button
          size="small"
          color="error"
          aria-label={`Unlink ${name}`}
          loading={unlink.isPending}
          onClick={() => unlink.mutate({ params: { id } })}
        >
          Unlink
        </Button>
      </span>
    </Row>
  );
}

/** Confirms the link of the address. */
function LinkDialog() {
  const { user } = useScope();
  const { search, change } = useSearchState();
  const [isOver, setOver] = useState(false);
  const linking = useLinkChat();
  const { token } = search;
  if (!token || isOver) return null;
  const link = chatLinkIn(token);
  const close = () => {
    setOver(true);
    change({ token: undefined }, { replace: true });
  };
  if (!link) return <Note tone="warning">This link is incomplete. Press the button in the chat again for a new one.</Note>;
  return (
    <ConfirmDialog
      isOpen
      title="Link this account?"
      isBusy={linking.isPending}
      onNo={close}
      onYes={() => linking.mutate({ body: { token } }, { onSettled: close })}
    >
      <p>
        The account <VisibleText text={link.name} /> of the workspace <VisibleText text={link.workspace} /> will act in the portal
        as <VisibleText text={user.displayName} />: it acknowledges cases and takes them.
      </p>
      Link it only if it is your own, and you got this link by pressing a button in the chat.
    </ConfirmDialog>
  );
}
