/** Review of an import (/apps/ruleimport/{id}): its rules as a difference, and the acceptance. */
import Button from '@mui/material/Button';
import { Problem } from '@parapet/contract/problem.ts';
import { packItemStatuses } from '@parapet/contract/rulePacks.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Note } from '../../kit/Note.tsx';
import { severityLabel } from '../../kit/Severity.tsx';
import { visibleText } from '../../kit/visible.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { mayManagePacks } from '../rules/rules.ts';
import { importList, importQuery, useDiscard } from './packs.queries.ts';
import { importLabel, statusLabel, takenStatuses } from './packs.ts';
import { AcceptImport } from './parts/AcceptImport.tsx';
import { ItemSidePanel } from './parts/ItemSidePanel.tsx';
import { ItemCard, itemColumns } from './parts/itemColumns.tsx';

export function RuleImportPage() {
  const { importID = '' } = useParams({ strict: false }) as { importID?: string };
  const id = Number(importID);
  const scope = useScope();
  const navigate = useNavigate();
  const list = useListState(importList);
  const isAllowed = mayManagePacks(scope);
  const items = useQuery({ ...importQuery(id, list.query), enabled: isAllowed && Number.isInteger(id) && id > 0 });
  const [isAccepting, setAccepting] = useState(false);
  const discard = useDiscard();
  const packImport = items.data?.packImport;
  const counts = packImport?.counts;
  const filters = useMemo<readonly ListFilter[]>(
    () => [
      {
        name: 'status',
        label: 'Status',
        options: packItemStatuses.map((value) => ({
          value,
          text: statusLabel[value],
          ...(counts && { label: `${statusLabel[value]} (${counts[value] ?? 0})` }),
        })),
      },
      { name: 'severity', label: 'Severity', options: severities.map((value) => ({ value, text: severityLabel[value] })) },
    ],
    [counts],
  );
  const toPacks = () => void navigate({ to: paths.rulePacks({ client: scope.client }) });
  const isMissing = items.error instanceof Problem && items.error.code === 'notFound';
  const taken = takenStatuses.reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
  return (
    <ListPage
      id="ruleImport"
      label="Rules of the import"
      title={packImport ? `Import of ${visibleText(packImport.name)}` : 'Import'}
      purpose={
        packImport
          ? [importLabel[packImport.state], visibleText(packImport.version)].filter(Boolean).join(' · ')
          : 'Rules of a pack'
      }
      denied={
        !isAllowed
          ? { title: 'Rule packs are managed by the provider', text: 'Your own rules and exceptions are on the Rules page.' }
          : (isMissing || !(id > 0)) && { title: 'Import not found', text: 'It may have been discarded.' }
      }
      actions={
        packImport?.state === 'ready' && (
          <>
            <Button loading={discard.isPending} onClick={() => discard.mutate({ params: { id } }, { onSuccess: toPacks })}>
              Discard
            </Button>
            <Button variant="contained" onClick={() => setAccepting(true)}>
              Accept
            </Button>
          </>
        )
      }
      list={list}
      query={items}
      columns={itemColumns}
      rowId={(item) => item.path}
      card={(item, onPreview) => <ItemCard item={item} onPreview={onPreview} />}
      panel={(panel) => <ItemSidePanel {...panel} packImport={packImport} />}
      search="Search rules"
      filters={filters}
      noMatch="Remove a filter, or search for a part of the title, ID or file."
      empty={{ title: 'No rules in this import' }}
      dialogs={
        isAccepting &&
        packImport && <AcceptImport packImport={packImport} taken={taken} onClose={() => setAccepting(false)} onDone={toPacks} />
      }
    >
      {packImport?.isFirstOfSigner && (
        <Note tone="warning">
          Signed with the key {packImport.signer}, which is new here. Compare it with the publisher’s before you take the rules
          over; later versions must have the same key.
        </Note>
      )}
    </ListPage>
  );
}
