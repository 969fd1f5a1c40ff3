/** Client chooser for pages of one organisation while All is selected, and the list of deactivated organisations. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { answerChip } from '../../../lib/listFilters.ts';
import { useScope } from '../../../lib/scope.ts';
import { inList } from '../clientList.ts';
import { deactivatedQuery, matchingClientsQuery, useReactivate } from '../organisations.queries.ts';
import { ArchiveButton } from './ArchiveButton.tsx';
import { ErasureDialog } from './ErasureDialog.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });
const List = styled('ul')({
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
});

interface Props {
  /** Plural noun of the page’s subject: "Reports". */
  purpose: string;
  hrefOf: (client: number) => string;
  /** Limits the list to this partner and its clients. */
  partner?: number | undefined;
  /** Limits the list to the clients of an answer by Sapphire. */
  query?: string | undefined;
  children?: ReactNode;
}

export function ChooseClient({ purpose, hrefOf, partner, query, children }: Props) {
  const { clients } = useScope();
  const { search, change } = useSearchState();
  const text = (search.text ?? '').slice(0, 200);
  const matching = useQuery({ ...matchingClientsQuery(query ?? ''), enabled: query !== undefined });
  const all = query === undefined ? clients : (matching.data?.results ?? []);
  const among =
    partner === undefined ? all : all.filter(({ id, partnerClientOrgID }) => id === partner || partnerClientOrgID === partner);
  const found = inList(among, text);
  const isLoading = query === undefined ? clients.length === 0 : matching.isPending;
  return (
    <Column>
      <Card title="Choose a client" purpose={`${purpose} belong to one organisation. Choose it here or in the selector above.`}>
        <SearchField
          value={text}
          onChange={(next) => change({ text: next }, { replace: true })}
          label="Search clients"
          hasShortcut
          width={320}
        />
        <FilterChips chips={answerChip(query, change)} onClear={() => change({ query: undefined })} />
        {matching.error && <FailedLine what="clients" error={matching.error} onRetry={() => void matching.refetch()} />}
        {isLoading && <TextSkeleton lines={6} lineHeight={40} />}
        {!isLoading && !matching.error && found.length === 0 && <p role="status">No matching clients.</p>}
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
  const reactivate = useReactivate();
  const [chosen, setChosen] = useState<ClientOrganization>();
  const { search, change } = useSearchState();
  if (error) return <FailedLine what="deactivated organisations" error={error} onRetry={() => void refetch()} />;
  if (!data || data.results.length === 0) return null;
  const erased = data.results.find(({ id, isPartner }) => !isPartner && String(id) === search.erase);
  return (
    <Card title="Deactivated" purpose="Sign-in and ingestion are off. Data is kept until it is erased.">
      <List aria-label="Deactivated">
        {data.results.map((each) => (
          <li key={each.id}>
            <span className="name">
              <VisibleText text={each.name} />
            </span>
            <RelativeTime at={each.deactivatedAt} timeZone={timeZone} />
            {!each.isPartner && !each.erasedAt && <ArchiveButton client={each.id} name={each.name} />}
            {!each.isPartner && (
              <Button size="small" aria-label={`Erasure of ${each.name}`} onClick={() => change({ erase: String(each.id) })}>
                Erasure
              </Button>
            )}
            {!each.erasedAt && (
              <Button size="small" aria-label={`Reactivate ${each.name}`} onClick={() => setChosen(each)}>
                Reactivate
              </Button>
            )}
          </li>
        ))}
      </List>
      <ConfirmDialog
        isOpen={chosen !== undefined}
        title={`Reactivate ${chosen?.name ?? ''}?`}
        isBusy={reactivate.isPending}
        onNo={() => setChosen(undefined)}
        onYes={() => chosen && reactivate.mutate(chosen, { onSuccess: () => setChosen(undefined) })}
      >
        Its users can sign in again, and its ingest keys accept events again.
      </ConfirmDialog>
      {erased && <ErasureDialog client={erased.id} name={erased.name} onClose={() => change({ erase: undefined })} />}
    </Card>
  );
}
