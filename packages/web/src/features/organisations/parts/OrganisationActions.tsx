/** Actions on an organisation: move to another partner, deactivate, reactivate. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { allClients } from '@parapet/contract/access.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useDeactivate, useMoveOrganisation, useReactivate } from '../organisations.queries.ts';

type Action = 'move' | 'deactivate' | 'reactivate';

export function OrganisationActions({ details }: { details: ClientDetails }) {
  const { clients } = useScope();
  const go = useGo();
  const [confirming, setConfirming] = useState<Action>();
  const [partnerId, setPartnerId] = useState(0);
  const [move, reactivate] = [useMoveOrganisation(), useReactivate()];
  const deactivate = useDeactivate(() => go(paths.clientDetails('general', { client: allClients }), { replace: true }));
  const { name } = details.general;
  const organisation = { id: details.id, name };
  const partners = clients.filter(({ id, isPartner }) => isPartner && id !== details.partnerClientOrgID && id !== details.id);
  const partner = partners.find(({ id }) => id === partnerId);
  const close = () => setConfirming(undefined);
  const closed = { onSuccess: close };
  const dialog = (action: Action, isBusy: boolean) => ({ isOpen: confirming === action, isBusy, onNo: close });

  return (
    <>
      {details.can.move && !details.isPartner && (
        <Button
          variant="outlined"
          disabled={partners.length === 0}
          title={partners.length === 0 ? 'No other partners' : undefined}
          onClick={() => setConfirming('move')}
        >
          Move to another partner
        </Button>
      )}
      {details.can.deactivate &&
        (details.deactivatedAt ? (
          <Button variant="outlined" onClick={() => setConfirming('reactivate')}>
            Reactivate
          </Button>
        ) : (
          <Button variant="outlined" color="error" onClick={() => setConfirming('deactivate')}>
            Deactivate
          </Button>
        ))}

      <ConfirmDialog
        {...dialog('move', move.isPending)}
        title={`Move ${name} to another partner?`}
        isYesOff={partner === undefined}
        onYes={() => partner && move.mutate({ details, partner }, closed)}
      >
        <TextField
          select
          size="small"
          fullWidth
          label="New partner"
          value={partnerId || ''}
          onChange={(event) => setPartnerId(Number(event.target.value))}
          sx={{ my: 1 }}
        >
          {partners.map(({ id, name: each }) => (
            <MenuItem key={id} value={id}>
              {each}
            </MenuItem>
          ))}
        </TextField>
        Its users, data and ingest keys move with it, and it shows the new partner’s brand. {details.partnerName} loses access.
      </ConfirmDialog>
      <ConfirmDialog
        {...dialog('deactivate', deactivate.isPending)}
        title={`Deactivate ${name}?`}
        onYes={() => deactivate.mutate(organisation)}
      >
        {counted(details.userCount, 'user')} can no longer sign in, and events from its shippers are rejected, immediately.
        {details.clientCount > 0 ? ` It manages ${counted(details.clientCount, 'active client')}.` : ''} All data is kept, and you
        can reactivate it.
      </ConfirmDialog>
      <ConfirmDialog
        {...dialog('reactivate', reactivate.isPending)}
        title={`Reactivate ${name}?`}
        onYes={() => reactivate.mutate(organisation, closed)}
      >
        Its users can sign in again, and its ingest keys accept events again.
      </ConfirmDialog>
    </>
  );
}
