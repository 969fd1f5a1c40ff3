/** Suppressions (/apps/suppressions): exceptions that keep known, harmless alerts out of cases, each with owner, reason and end. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { useSearchState } from '../../lib/address.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { NewSuppression } from './parts/NewSuppression.tsx';
import { SuppressionSidePanel } from './parts/SuppressionSidePanel.tsx';
import { SuppressionCard, suppressionColumns } from './parts/suppressionColumns.tsx';
import { suppressionList, suppressionListQuery } from './suppressions.queries.ts';
import { draftIn, noDraft } from './suppressions.ts';

export function SuppressionsPage() {
  const scope = useScope();
  const { client, timeZone, may } = scope;
  const { search, change } = useSearchState();
  const list = useListState(suppressionList);
  const isAllowed = may('suppressions:write');
  const suppressions = useQuery({ ...suppressionListQuery(client, list.query), enabled: isAllowed });
  const columns = useMemo(() => suppressionColumns({ timeZone, hasClients: client === 0 }), [timeZone, client]);
  const draft = draftIn(search, client);

  return (
    <ListPage
      id="suppressions"
      label="Suppressions"
      title="Suppressions"
      purpose={`Alerts of ${clientLabel(scope)} that are kept out of cases. They stay in the alert list.`}
      denied={
        !isAllowed && {
          title: 'Only analysts manage suppressions',
          text: 'You don’t have permission to see them. Contact your analysts.',
        }
      }
      actions={
        <Button variant="contained" startIcon={<AddRounded />} onClick={() => change({ new: 1 })}>
          New suppression
        </Button>
      }
      list={list}
      query={suppressions}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <SuppressionCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <SuppressionSidePanel {...panel} timeZone={timeZone} />}
      empty={{
        title: 'No suppressions yet',
        text: 'Suppress known, harmless alerts from an alert, a case or here. Suppressions always expire.',
      }}
      dialogs={
        draft && (
          <NewSuppression
            draft={draft}
            onClose={() => change(noDraft)}
            onCreated={(id) => change({ ...noDraft, page: undefined, peek: id }, { replace: true })}
          />
        )
      }
    />
  );
}
