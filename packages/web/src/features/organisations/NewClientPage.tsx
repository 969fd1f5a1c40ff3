/** New organisation (/apps/clientdetails/create/general): a client by wizard, many by CSV or, for the provider’s Host, a partner. */
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { providerId } from '@parapet/contract/access.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { ClientWizard } from './parts/ClientWizard.tsx';
import { ImportClients } from './parts/ImportClients.tsx';
import { NewPartnerForm } from './parts/NewPartnerForm.tsx';

const kinds = ['client', 'csv', 'partner'] as const;
const titles = { client: 'New client', csv: 'New clients', partner: 'New partner' };

/** Default partner: the selected one, or the partner of the selected client. */
function partnerOf(clients: readonly ClientOrganization[], client: number, ownId: number): number {
  const chosen = clients.find(({ id }) => id === client);
  if (chosen) return chosen.isPartner ? chosen.id : (chosen.partnerClientOrgID ?? ownId);
  return ownId;
}

export function NewClientPage() {
  useTitle('New client');
  const { may, clients, client, who } = useScope();
  const { search, change } = useSearchState();
  if (!may('clients:manage')) {
    return (
      <>
        <PageHeader title="New client" />
        <EmptyState
          title="You can’t create clients"
          text="Only administrators of partners can. Your role can read client details."
        />
      </>
    );
  }
  // The form’s default partner comes from this list.
  if (clients.length === 0) return <PageHeader title="New client" />;
  const mayPartner = may('partners:manage') && who.organisationId === providerId;
  const requested = oneIn(search.kind, kinds, 'client');
  const kind = requested === 'partner' && !mayPartner ? 'client' : requested;
  const partner = partnerOf(clients, client, who.organisationId);
  return (
    <>
      <PageHeader title={titles[kind]} purpose="A separate organisation with its own users and data" />
      <div style={{ maxWidth: kind === 'csv' ? 1200 : 960 }}>
        <RadioGroup
          row
          aria-label="Organisation type"
          value={kind}
          onChange={(_, value) => change({ kind: value === 'client' ? undefined : value }, { replace: true })}
          sx={{ mb: 1 }}
        >
          <FormControlLabel value="client" control={<Radio size="small" />} label="Client of a partner" />
          <FormControlLabel value="csv" control={<Radio size="small" />} label="Clients from a CSV file" />
          {mayPartner && <FormControlLabel value="partner" control={<Radio size="small" />} label="Partner" />}
        </RadioGroup>
        {kind === 'partner' && <NewPartnerForm />}
        {kind === 'client' && <ClientWizard partner={partner} />}
        {kind === 'csv' && <ImportClients partner={partner} />}
      </div>
    </>
  );
}
