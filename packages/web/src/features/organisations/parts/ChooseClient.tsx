/** With All chosen: whose details to open, and what was deactivated. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ClientOrganization, organisationsApi } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { call } from '../../../lib/call.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { inList } from '../clientList.ts';
import { deactivatedQuery, useDetailsChanged } from '../organisations.queries.ts';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });
const List = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    listStyle: 'none',
    margin: '12px 0 0',
    padding: 0,
    '& > li': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: '0 12px',
      minHeight: 40,
      borderTop: `1px solid ${palette.divider}`,
    },
    '& a': {
      flex: 1,
      minWidth: 0,
      padding: '9px 4px',
      overflowWrap: 'anywhere',
      color: palette.text.primary,
      textDecoration: 'none',
    },
    '& a:hover': { textDecoration: 'underline' },
    '& .name': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
    '& [data-kind=partner] a': { fontWeight: 650 },
    '& [data-kind=child] a': { paddingLeft: 28 },
  };
});

interface Props {
  /** What belongs to one organisation. */
  purpose: string;
  hrefOf: (client: number) => string;
  /** Only this partner and its clients. */
  partner?: number | undefined;
  /** Beneath the list. */
  children?: ReactNode;
}

export function ChooseClient({ purpose, hrefOf, partner, children }: Props) {
  const { clients } = useScope();
  const { search, change } = useSearchState();
  const text = (search.text ?? '').slice(0, 200);
  const among =
    partner === undefined
      ? clients
      : clients.filter(({ id, partnerClientOrgID }) => id === partner || partnerClientOrgID === partner);
  const found = inList(among, text);
  return (
    <Column>
      <Card title="Choose a client" purpose={`${purpose} belong to one organisation. Choose it here, or in the selector above.`}>
        <SearchField
          value={text}
          onChange={(next) => change({ text: next }, { replace: true })}
          label="Search clients"
          hasShortcut
          width={320}
        />
        {clients.length === 0 && <TextSkeleton lines={6} lineHeight={40} />}
        {clients.length > 0 && found.length === 0 && <p role="status">No client has this in its name.</p>}
        <List aria-label="Clients">
          {found.map(({ id, name, isPartner }) => (
            <li key={id} data-kind={isPartner ? 'partner' : 'child'}>
              <AppLink href={hrefOf(id)}>
                <VisibleText text={name} />
              </AppLink>
            </li>
          ))}
        </List>
      </Card>
      {children}
    </Column>
  );
}

export function Deactivated() {
  const { timeZone, may } = useScope();
  const { data, error, refetch } = useQuery({ ...deactivatedQuery, enabled: may('clients:manage') });
  const changed = useDetailsChanged();
  const [asked, setAsked] = useState<ClientOrganization>();
  const [isBusy, setBusy] = useState(false);
  const reactivate = async () => {
    if (!asked) return;
    setBusy(true);
    try {
      await call(organisationsApi.reactivate, { params: { id: asked.id } });
      toast.success(`${asked.name} was reactivated`);
      setAsked(undefined);
      await changed.lists();
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'It could not be reactivated.');
    }
    setBusy(false);
  };
  if (error) return <FailedLine what="deactivated organisations" error={error} onRetry={() => void refetch()} />;
  if (!data || data.results.length === 0) return null;
  return (
    <Card title="Deactivated" purpose="Nobody signs in and nothing is taken in; the data stays.">
      <List aria-label="Deactivated">
        {data.results.map((each) => (
          <li key={each.id}>
            <span className="name">
              <VisibleText text={each.name} />
            </span>
            <RelativeTime at={each.deactivatedAt} timeZone={timeZone} />
            <Button size="small" aria-label={`Reactivate ${each.name}`} onClick={() => setAsked(each)}>
              Reactivate
            </Button>
          </li>
        ))}
      </List>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={`Reactivate ${asked?.name ?? ''}?`}
        isBusy={isBusy}
        onNo={() => setAsked(undefined)}
        onYes={() => void reactivate()}
      >
        Its users can sign in again, and events of its ingest keys are taken again.
      </ConfirmDialog>
    </Card>
  );
}
