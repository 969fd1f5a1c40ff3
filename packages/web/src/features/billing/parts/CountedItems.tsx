/** Devices and users that a client's count has, each once. */
import type { BillingItem } from '@parapet/contract/billing.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { DataTable } from '../../../kit/DataTable.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { pagingOf } from '../../../lib/paging.ts';
import { useListState } from '../../../lib/useListState.ts';
import { billingItemList, billingItemsQuery } from '../billing.queries.ts';

const kinds = { server: 'Server', workstation: 'Workstation', user: 'User' } as const;
const sourceNames: Record<string, string> = {
  agent: 'Agent',
  events: 'Events',
  crowdstrike: 'CrowdStrike',
  defender: 'Defender for Endpoint',
  sentinelone: 'SentinelOne',
  entra: 'Entra ID',
  google: 'Google Workspace',
  okta: 'Okta',
};
const sourcesOf = ({ sources }: BillingItem): string => sources.map((source) => sourceNames[source] ?? source).join(', ');
const daysOf = ({ firstDay, lastDay }: BillingItem): string => (firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`);
const kindOf = ({ kind, hasMailbox }: BillingItem): string => (hasMailbox ? `${kinds[kind]} with mailbox` : kinds[kind]);

const columns: readonly Column<BillingItem>[] = [
  { id: 'name', header: 'Name', flex: 2, width: 200, isFixed: true, cell: ({ name }) => <VisibleText text={name} /> },
  { id: 'kind', header: 'Kind', width: 150, cell: kindOf },
  { id: 'sources', header: 'Found by', flex: 1, width: 200, cell: sourcesOf },
  { id: 'days', header: 'Days', width: 200, hidePriority: 1, cell: daysOf },
];

export function CountedItems({ client, month }: { client: number; month: string }) {
  const list = useListState(billingItemList);
  const items = useQuery({ ...billingItemsQuery(client, month, list.query), placeholderData: keepPreviousData });
  return (
    <Section title="Counted devices and users" isPlain>
      <DataTable
        id="billingitems"
        label="Devices and users of the count"
        columns={columns}
        rows={items.data?.results}
        rowId={({ kind, name }) => `${kind} ${name}`}
        card={(item) => (
          <>
            <VisibleText text={item.name} />
            <div>
              {kindOf(item)} · {sourcesOf(item)}
            </div>
          </>
        )}
        paging={pagingOf(list, items.data?.total)}
        isFetching={items.isFetching}
        error={items.error}
        onRetry={() => void items.refetch()}
        empty={
          <EmptyState
            title="No devices or users"
            text="Devices appear with their first events, users with a connected directory."
          />
        }
      />
    </Section>
  );
}
