/** Billing (/apps/billing), for administrators of the provider and of partners: counts by client and month, and their agreements at a PSA. */
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { allClients } from '@parapet/contract/access.ts';
import { type BillingRow, billingApi } from '@parapet/contract/billing.ts';
import { type BillingMeasure, billingMeasures, correctionCounts } from '@parapet/contract/rules/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { useSearchState } from '../../lib/address.ts';
import { ClientTable, figureColumn } from '../../lib/ClientTable.tsx';
import { exportList } from '../../lib/exportList.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { billingQuery } from './billing.queries.ts';
import { monthIn, monthLabel, monthsUntil } from './months.ts';
import { ClientLines, figure, signed } from './parts/ClientLines.tsx';
import { CountedItems } from './parts/CountedItems.tsx';
import { PsaSection } from './parts/PsaSection.tsx';
import { Stack } from './parts/styles.ts';

/** The count, and its corrections beside it. */
function lineText({ counts, corrections }: BillingRow, measure: BillingMeasure): string {
  const changes = corrections.flatMap((line) => correctionCounts(line)[measure] ?? []);
  return [figure(counts[measure]), ...changes.map(signed)].join(' ');
}
/** Of a card. */
const summaryOf = (row: BillingRow): string =>
  [
    `${lineText(row, 'devices')} devices`,
    ...(row.counts.users === null ? [] : [`${lineText(row, 'users')} users`]),
    row.closedAt ? 'closed month' : 'open month',
  ].join(' · ');
const stateOf = ({ closedAt }: BillingRow): string => (closedAt ? 'Closed' : 'Open');

const columns = [
  { id: 'level', header: 'Service level', width: 120, hidePriority: 2, cell: ({ level }: BillingRow) => level },
  ...billingMeasures.map(({ value, label }, place) => ({
    ...figureColumn<BillingRow>(value, label, (row) => lineText(row, value), place === 0 ? undefined : place + 2),
    width: 140,
  })),
  { id: 'state', header: 'Month', width: 90, hidePriority: 1, cell: stateOf },
];

export function BillingPage() {
  useTitle('Billing');
  const scope = useScope();
  const { client, may } = scope;
  const { search, change } = useSearchState();
  const [now] = useState(Date.now);
  const month = monthIn(search.month, now);
  const isAllowed = may('billing:write');
  const list = useQuery({ ...billingQuery(client, month), enabled: isAllowed });
  if (!isAllowed)
    return (
      <>
        <PageHeader title="Billing" />
        <EmptyState
          title="Billing is for administrators of the provider and of partners"
          text="It shows counts by client and month. Your role can’t see or change them."
        />
      </>
    );
  const rows = list.data?.results;
  return (
    <>
      <PageHeader
        title="Billing"
        purpose={`${monthLabel(month)}, ${clientLabel(scope)}: devices, users and log volume, and what the PSA bills`}
        actions={
          <>
            <TextField
              select
              size="small"
              label="Month"
              value={month}
              onChange={(event) => change({ month: event.target.value, page: undefined })}
              sx={{ minWidth: 170 }}
            >
              {monthsUntil(now).map((value) => (
                <MenuItem key={value} value={value}>
                  {monthLabel(value)}
                </MenuItem>
              ))}
            </TextField>
            <ExportButton
              total={rows?.length ?? 0}
              onExport={exportList({
                endpoint: billingApi.csv,
                input: { params: { client }, query: { month } },
                fileName: `billing-${month}.csv`,
                name: 'The month',
              })}
            />
          </>
        }
      />
      {client === allClients ? (
        <ClientTable
          id="billing"
          label="Counts by client"
          list={list}
          address={(row) => paths.billing({ client: row.clientOrganizationID, month })}
          columns={columns}
          summary={summaryOf}
        />
      ) : !rows ? (
        list.error ? (
          <FailedState what="counts" error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <TextSkeleton lines={4} />
        )
      ) : (
        <OfClient key={`${client} ${month}`} row={rows[0]} client={client} month={month} />
      )}
    </>
  );
}

function OfClient({ row, client, month }: { row: BillingRow | undefined; client: number; month: string }) {
  return (
    <Stack>
      {row ? (
        <ClientLines row={row} />
      ) : (
        <EmptyState
          title={`No count of ${monthLabel(month)}`}
          text="Counts begin with the first month in which devices were seen."
        />
      )}
      <PsaSection client={client} month={month} />
      <CountedItems client={client} month={month} />
    </Stack>
  );
}
