/** Exceptions and suppressions (/apps/exceptions): everything that hides alerts in one list, with what each hid in 30 days. */
import Button from '@mui/material/Button';
import { hidingKinds } from '@parapet/contract/exceptions.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { draftIn, noDraft } from '../suppressions/suppressions.ts';
import { HidingSidePanel } from './parts/HidingSidePanel.tsx';
import { HidingCard, hidingColumns, kindText } from './parts/hidingColumns.tsx';
import { NewSuppression } from './parts/NewSuppression.tsx';
import { hidingList, hidingListQuery } from './rules.queries.ts';

const filters: readonly ListFilter[] = [
  {
    name: 'kind',
    label: 'Kind',
    options: hidingKinds.map((kind) => ({ value: kind, text: kindText({ kind }) })),
  },
  {
    name: 'state',
    label: 'State',
    options: [
      { value: 'active', text: 'Active' },
      { value: 'ended', text: 'Ended' },
    ],
  },
];

export function ExceptionsPage() {
  const scope = useScope();
  const { client, timeZone, may } = scope;
  const { search, change } = useSearchState();
  const list = useListState(hidingList);
  const draft = draftIn(search, client);
  const isAllowed = may('suppressions:write');
  const rows = useQuery({ ...hidingListQuery(client, list.query), enabled: isAllowed });
  const columns = useMemo(() => hidingColumns({ timeZone }), [timeZone]);
  return (
    <ListPage
      id="exceptions"
      label="Exceptions and suppressions"
      title="Exceptions and suppressions"
      purpose={`Everything that hides alerts of ${clientLabel(scope)}: exceptions of rules, and suppressions of alerts.`}
      denied={
        !isAllowed && {
          title: 'Only analysts manage exceptions',
          text: 'You don’t have permission to see them. Contact your analysts.',
        }
      }
      actions={
        <>
          <Button component={AppLink} href={paths.rules({ client })}>
            Rules
          </Button>
          <Button variant="contained" startIcon={<AddRounded />} onClick={() => change({ new: 1 })}>
            New suppression
          </Button>
        </>
      }
      list={list}
      query={rows}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <HidingCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <HidingSidePanel {...panel} timeZone={timeZone} />}
      filters={filters}
      noMatch="Remove a filter."
      empty={{
        title: 'No exceptions and suppressions yet',
        text: 'Exceptions are added on a rule’s page, suppressions from an alert, a case or here. Both always expire.',
      }}
      dialogs={
        draft && (
          <NewSuppression
            draft={draft}
            onClose={() => change({ ...noDraft, preview: undefined })}
            onCreated={(id) => change({ ...noDraft, preview: undefined, page: undefined, peek: id }, { replace: true })}
          />
        )
      }
    />
  );
}
