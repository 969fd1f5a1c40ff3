/** Pause, settings, secrets and removal of a target. */
import Button from '@mui/material/Button';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { usePauseTarget, useRemoveTarget, useSyncTickets } from '../deliveries.queries.ts';
import { CallbackSetup } from './CallbackSetup.tsx';
import { ReplaceTargetSecrets } from './ReplaceTargetSecrets.tsx';
import { TargetSettings } from './TargetSettings.tsx';
import { TicketSetup } from './TicketSetup.tsx';

/** Kinds that the portal sends itself. */
const withoutSecrets = ['oncall', 'browser'];

export function TargetActions({ target }: { target: DeliveryTarget }) {
  const { id, name, state, quiet, clientOrganizationID: client } = target;
  const [dialog, setDialog] = useState<'settings' | 'secrets' | 'tickets' | 'callbacks' | 'remove'>();
  const pause = usePauseTarget();
  const sync = useSyncTickets();
  const remove = useRemoveTarget();
  const params = { client, target: id };
  const isPaused = state === 'paused';
  const close = () => setDialog(undefined);
  return (
    <>
      <Button
        size="small"
        aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
        loading={pause.isPending}
        onClick={() => pause.mutate({ params, body: { name, quiet, isPaused: !isPaused } })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {target.hasTickets && (
        <>
          <Button size="small" aria-label={`Tickets at ${name}`} onClick={() => setDialog('tickets')}>
            Tickets
          </Button>
          <Button
            size="small"
            aria-label={`Sync tickets of ${name} now`}
            loading={sync.isPending}
            onClick={() => sync.mutate({ params })}
          >
            Sync now
          </Button>
        </>
      )}
      {target.hasCallbacks && (
        <Button size="small" aria-label={`Callbacks of ${name}`} onClick={() => setDialog('callbacks')}>
          Callbacks
        </Button>
      )}
      <Button size="small" aria-label={`Edit ${name}`} onClick={() => setDialog('settings')}>
        Edit
      </Button>
      {!withoutSecrets.includes(target.kind) && (
        <Button size="small" aria-label={`Rotate secret of ${name}`} onClick={() => setDialog('secrets')}>
          Rotate secret
        </Button>
      )}
      <Button size="small" color="error" aria-label={`Remove ${name}`} onClick={() => setDialog('remove')}>
        Remove
      </Button>
      {dialog === 'settings' && <TargetSettings target={target} onClose={close} />}
      {dialog === 'tickets' && <TicketSetup target={target} onClose={close} />}
      {dialog === 'callbacks' && <CallbackSetup target={target} onClose={close} />}
      {dialog === 'secrets' && <ReplaceTargetSecrets target={target} onClose={close} />}
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title="Remove this target?"
        isBusy={remove.isPending}
        onNo={close}
        onYes={() => remove.mutate({ params }, { onSettled: close })}
      >
        The portal deletes <VisibleText text={name} /> with its secrets, its rules and its deliveries. Waiting deliveries are not
        sent. This can’t be undone.
      </ConfirmDialog>
    </>
  );
}
