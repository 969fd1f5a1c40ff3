/** One webhook: address, state, figures, newest refusal and what can be done. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { WebhookSource } from '@parapet/contract/webhookSources.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { usePauseWebhookSource, useRemoveWebhookSource, useReplaceSecret } from '../webhookSources.queries.ts';
import { NewSecret } from './NewSecret.tsx';
import { WebhookState } from './WebhookState.tsx';

const Address = styled('div')({ display: 'flex', alignItems: 'center', gap: 4, minWidth: 0, overflowWrap: 'anywhere' });

const authenticationLabel: Record<WebhookSource['authentication'], string> = {
  header: 'Secret in a header',
  hmac: 'HMAC-SHA256 signature',
  standard: 'Standard Webhooks',
};

export function WebhookRow({ source }: { source: WebhookSource }) {
  const { client, clients, timeZone, may } = useScope();
  const { name, address, clientOrganizationID: owner, lastEventAt, refusal, refusedAt, authentication, header } = source;
  const at = (instant: string | null) => instant && <RelativeTime at={instant} timeZone={timeZone} />;
  return (
    <Row aria-label={name}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <RowHead>
          <strong>
            <VisibleText text={name} />
          </strong>
          <WebhookState state={source.state} />
          {client === allClients && (
            <span className="about">{clients.find(({ id }) => id === owner)?.name ?? `client ${owner}`}</span>
          )}
        </RowHead>
        <Address>
          <Mono text={address} /> <CopyButton text={address} label={`Copy address of ${name}`} />
        </Address>
        <DefinitionList
          minWidth={150}
          facts={[
            {
              name: 'Authentication',
              value: `${authenticationLabel[authentication]}${authentication === 'standard' ? '' : ` (${header})`}`,
            },
            {
              name: 'Newest event',
              value: lastEventAt && <AppLink href={paths.events({ client: owner })}>{at(lastEventAt)}</AppLink>,
            },
            { name: 'Events', value: exact(source.events) },
            { name: 'Refused', value: source.refused > 0 && exact(source.refused) },
            { name: 'Mapping', value: `Version ${source.version}, ${counted(source.mapping.fields.length, 'field')}` },
          ].map((fact) => ({ ...fact, value: fact.value || null }))}
        />
        {refusal && (
          <Note tone="warning">
            <VisibleText text={refusal} /> {at(refusedAt)}
          </Note>
        )}
      </div>
      {may('connections:write') && <Actions source={source} />}
    </Row>
  );
}

function Actions({ source }: { source: WebhookSource }) {
  const { id, name, state, clientOrganizationID: client } = source;
  const { client: place } = useScope();
  const [dialog, setDialog] = useState<'secret' | 'remove'>();
  const pause = usePauseWebhookSource();
  const replace = useReplaceSecret();
  const remove = useRemoveWebhookSource();
  const params = { client, source: id };
  const isPaused = state === 'paused';
  const close = () => setDialog(undefined);
  return (
    <>
      <span className="buttons" style={{ flexWrap: 'wrap' }}>
        <Button
          size="small"
          component={AppLink}
          aria-label={`Edit mapping of ${name}`}
          href={paths.devices(place || undefined, { tab: 'webhooks', webhook: id })}
        >
          Edit mapping
        </Button>
        <Button
          size="small"
          aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
          loading={pause.isPending}
          onClick={() => pause.mutate({ params, body: { isPaused: !isPaused } })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button size="small" aria-label={`Replace secret of ${name}`} onClick={() => setDialog('secret')}>
          Replace secret
        </Button>
        <Button size="small" color="error" aria-label={`Remove ${name}`} onClick={() => setDialog('remove')}>
          Remove
        </Button>
      </span>
      {replace.data && <NewSecret title="Secret replaced" source={replace.data} onClose={() => replace.reset()} />}
      <ConfirmDialog
        isOpen={dialog === 'secret'}
        title="Replace the secret?"
        isBusy={replace.isPending}
        onNo={close}
        onYes={() => replace.mutate({ params }, { onSettled: close })}
      >
        Requests with the present secret of <VisibleText text={name} /> are refused at once.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title="Remove this webhook?"
        isBusy={remove.isPending}
        onNo={close}
        onYes={() => remove.mutate({ params }, { onSettled: close })}
      >
        The address of <VisibleText text={name} /> stops working, and its mapping is deleted. Events received so far are kept.
        This can’t be undone.
      </ConfirmDialog>
    </>
  );
}
