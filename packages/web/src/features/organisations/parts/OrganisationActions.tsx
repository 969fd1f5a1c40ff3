/** What is done with a whole organisation: moved to another partner, deactivated, brought back. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { useGo } from '../../../lib/address.ts';
import { call } from '../../../lib/call.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { useDetailsChanged } from '../organisations.queries.ts';

type Asked = 'move' | 'deactivate' | 'reactivate';

export function OrganisationActions({ details }: { details: ClientDetails }) {
  const { clients } = useScope();
  const changed = useDetailsChanged();
  const go = useGo();
  const [asked, setAsked] = useState<Asked>();
  const [partner, setPartner] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const params = { id: details.id };
  const { name } = details.general;
  const partners = clients.filter(({ id, isPartner }) => isPartner && id !== details.partnerClientOrgID && id !== details.id);
  const partnerName = partners.find(({ id }) => id === partner)?.name;

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
      setAsked(undefined);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : 'It could not be done. Please try again.');
    }
    setBusy(false);
  };
  const move = () =>
    run(async () => {
      changed.keep(await call(organisationsApi.move, { params, body: { partnerClientOrgID: partner } }));
      toast.success(`${name} was moved to ${partnerName}`);
      await changed.lists();
    });
  const deactivate = () =>
    run(async () => {
      await call(organisationsApi.deactivate, { params });
      toast.success(`${name} was deactivated`);
      // It is in no list to choose from any more.
      go(paths.clientDetails('general', { client: 0 }), { replace: true });
      await changed.lists();
    });
  const reactivate = () =>
    run(async () => {
      await call(organisationsApi.reactivate, { params });
      toast.success(`${name} was reactivated`);
      await changed.lists();
    });

  return (
    <>
      {details.can.move && !details.isPartner && (
        <Button
          variant="outlined"
          disabled={partners.length === 0}
          title={partners.length === 0 ? 'There is no other partner' : undefined}
          onClick={() => setAsked('move')}
        >
          Move to another partner
        </Button>
      )}
      {details.can.deactivate &&
        (details.deactivatedAt ? (
          <Button variant="outlined" onClick={() => setAsked('reactivate')}>
            Reactivate
          </Button>
        ) : (
          <Button variant="outlined" color="error" onClick={() => setAsked('deactivate')}>
            Deactivate
          </Button>
        ))}

      <ConfirmDialog
        isOpen={asked === 'move'}
        title={`Move ${name} to another partner?`}
        isBusy={isBusy}
        isYesOff={partnerName === undefined}
        onNo={() => setAsked(undefined)}
        onYes={() => void move()}
      >
        <TextField
          select
          size="small"
          fullWidth
          label="New partner"
          value={partner || ''}
          onChange={(event) => setPartner(Number(event.target.value))}
          sx={{ my: 1 }}
        >
          {partners.map(({ id, name: each }) => (
            <MenuItem key={id} value={id}>
              {each}
            </MenuItem>
          ))}
        </TextField>
        Its people, data and ingest keys go with it, and it shows the new partner’s brand. From then on {details.partnerName} sees
        nothing of it any more.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'deactivate'}
        title={`Deactivate ${name}?`}
        isBusy={isBusy}
        onNo={() => setAsked(undefined)}
        onYes={() => void deactivate()}
      >
        {counted(details.userCount, 'user')} cannot sign in any more, from this moment; events that its shippers send are refused.
        {details.clientCount > 0 ? ` It looks after ${counted(details.clientCount, 'active client')}.` : ''} All data stays, and
        it can be reactivated.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'reactivate'}
        title={`Reactivate ${name}?`}
        isBusy={isBusy}
        onNo={() => setAsked(undefined)}
        onYes={() => void reactivate()}
      >
        Its users can sign in again, and events of its ingest keys are taken again.
      </ConfirmDialog>
    </>
  );
}
