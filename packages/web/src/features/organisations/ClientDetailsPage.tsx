/** Client details (/apps/clientdetails/{tab}): settings of an organisation, saved per tab. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Card } from '../../kit/Card.tsx';
import { AddBusinessOutlined } from '../../kit/icons/AddBusinessOutlined.tsx';
import { counted } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useGo, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { SetupChecklist } from '../setup/SetupChecklist.tsx';
import { detailsQuery } from './organisations.queries.ts';
import { BrandingTab } from './parts/BrandingTab.tsx';
import { ChooseClient, Deactivated } from './parts/ChooseClient.tsx';
import { ContactsTab } from './parts/ContactsTab.tsx';
import { EscalationTab } from './parts/EscalationTab.tsx';
import { GeneralTab } from './parts/GeneralTab.tsx';
import { IngestKeysTab } from './parts/IngestKeysTab.tsx';
import { OffboardingTab } from './parts/OffboardingTab.tsx';
import { OrganisationActions } from './parts/OrganisationActions.tsx';
import { PlaybookTab } from './parts/PlaybookTab.tsx';
import { RetentionTab } from './parts/RetentionTab.tsx';
import { SignInTab } from './parts/SignInTab.tsx';
import { absence, type TabId, tabIn, tabs } from './tabs.ts';

const Column = styled('div')({ maxWidth: 960 });

export function ClientDetailsPage() {
  const { tab: requested } = useParams({ strict: false }) as { tab?: string };
  const { client, clientName, hasSelector } = useScope();
  const { search } = useSearchState();
  const tab = tabIn(requested);
  const go = useGo();
  useTitle('Client details');
  const isOff = requested !== tab;
  useEffect(() => {
    if (isOff) go(paths.clientDetails(tab, hasSelector ? { client } : {}), { replace: true });
  }, [isOff, tab, client, hasSelector, go]);
  if (client === allClients) {
    return (
      <>
        <PageHeader
          title="Client details"
          purpose="Contacts, playbook, brand and policies of an organisation"
          actions={<NewClient />}
        />
        <ChooseClient purpose="Details" hrefOf={(id) => paths.clientDetails(tab, { client: id })} query={search.query}>
          <Deactivated />
        </ChooseClient>
      </>
    );
  }
  return <Details key={client} id={client} name={clientName} tab={tab} />;
}

function NewClient() {
  const { may, client } = useScope();
  if (!may('clients:manage')) return null;
  return (
    <Button
      component={AppLink}
      href={paths.newClient(client ? { client } : {})}
      variant="contained"
      startIcon={<AddBusinessOutlined />}
    >
      New client
    </Button>
  );
}

function Details({ id, name, tab }: { id: number; name: string; tab: TabId }) {
  const { hasSelector, may } = useScope();
  const { data, error, refetch } = useQuery(detailsQuery(id));
  const query = hasSelector ? { client: id } : {};
  const shown = tabs.filter((each) => !data || !absence(each.id, data, may('ingestKeys:write')));
  return (
    <>
      <PageHeader
        title={<VisibleText text={data?.general.name ?? (name || 'Client details')} />}
        purpose={data ? purposeOf(data) : 'Client details'}
        actions={
          <>
            {data && <OrganisationActions details={data} />}
            <NewClient />
          </>
        }
      />
      <TabLinks
        label="Client details"
        current={tab}
        tabs={shown.map((each) => ({ ...each, href: paths.clientDetails(each.id, query) }))}
      />
      <Column>
        <Card title={tabs.find((each) => each.id === tab)?.title ?? ''}>
          {data ? (
            <Tab key={tab} tab={tab} details={data} mayKeys={may('ingestKeys:write')} />
          ) : error ? (
            <FailedState what="client details" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={6} lineHeight={48} />
          )}
        </Card>
      </Column>
    </>
  );
}

function purposeOf(details: ClientDetails): string {
  const kind = details.isPartner
    ? `Partner · ${counted(details.clientCount, 'client')}`
    : `Client of ${details.partnerName || 'no partner'}`;
  return [kind, counted(details.userCount, 'user'), details.deactivatedAt ? 'deactivated' : ''].filter(Boolean).join(' · ');
}

function Tab({ tab, details, mayKeys }: { tab: TabId; details: ClientDetails; mayKeys: boolean }) {
  const absent = absence(tab, details, mayKeys);
  if (absent) return <EmptyState title="Not available" text={absent} />;
  switch (tab) {
    case 'general':
      return <GeneralTab details={details} />;
    case 'contacts':
      return <ContactsTab details={details} />;
    case 'escalation':
      return <EscalationTab details={details} />;
    case 'playbook':
      return <PlaybookTab details={details} />;
    case 'branding':
      return details.branding && <BrandingTab details={details} branding={details.branding} />;
    case 'sign-in':
      return <SignInTab details={details} />;
    case 'retention':
      return <RetentionTab details={details} />;
    case 'ingest-keys':
      return <IngestKeysTab details={details} />;
    case 'offboarding':
      return <OffboardingTab details={details} />;
    case 'setup':
      return <SetupChecklist client={details.id} isPartner={details.isPartner} />;
  }
}
