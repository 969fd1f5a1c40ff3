/** A rule of an update that was changed here, or that left the pack: three texts, and the decision on it. */
import Button from '@mui/material/Button';
import type { PackDecision, PackImport, PackItem } from '@parapet/contract/rulePacks.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { Note } from '../../../kit/Note.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedLine } from '../../../kit/States.tsx';
import { visibleText } from '../../../kit/visible.ts';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { ThreeWay } from '../../rules/parts/ThreeWay.tsx';
import { mergedText, threeWay } from '../../rules/threeWay.ts';
import { itemQuery, useDecide } from '../packs.queries.ts';
import { decisionLabel } from '../packs.ts';
import { MergeDialog } from './MergeDialog.tsx';

const columns = { base: 'Pack before', own: 'Here', theirs: 'Pack now' };

export function ItemSidePanel({
  id,
  row,
  isLoading,
  onClose,
  packImport,
}: PreviewPanel<PackItem, string | undefined> & { packImport: PackImport | undefined }) {
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={visibleText(row?.title ?? 'Rule')}
      onClose={onClose}
    >
      {row && packImport ? (
        row.ruleID !== null && (row.status === 'edited' || row.status === 'removed') ? (
          <Decision key={row.ruleID} ruleID={row.ruleID} packImport={packImport} />
        ) : (
          <Note>{row.detail || 'No decision is needed: the rule was not changed here.'}</Note>
        )
      ) : (
        <EmptyState title="Not on this page" text="It is on another page of the import." />
      )}
    </SidePanel>
  );
}

function Decision({ ruleID, packImport: { id, state } }: { ruleID: string; packImport: PackImport }) {
  const { data, error, refetch } = useQuery(itemQuery(id, ruleID));
  const decide = useDecide();
  const [isMerging, setMerging] = useState(false);
  const isRemoved = data?.status === 'removed';
  const parts = useMemo(() => threeWay(data?.base ?? '', data?.own ?? '', data?.theirs ?? ''), [data]);
  if (!data)
    return error ? <FailedLine what="the rule" error={error} onRetry={() => void refetch()} /> : <TextSkeleton lines={8} />;
  const set = (decision: PackDecision | null) => decide.mutate({ params: { id, ruleID }, body: { decision } });
  const button = (decision: PackDecision, onClick: () => void) => (
    <Button
      size="small"
      variant={data.decision === decision ? 'contained' : 'outlined'}
      aria-pressed={data.decision === decision}
      onClick={onClick}
      disabled={decide.isPending}
    >
      {decisionLabel(decision, data.status)}
    </Button>
  );
  return (
    <div style={{ display: 'grid', gap: 16, minWidth: 0 }}>
      <Note>{data.decision === null ? undecidedText(isRemoved, data.own !== data.base) : decidedText[data.decision]}</Note>
      {state === 'ready' && (
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
          {button('keep', () => set('keep'))}
          {button('accept', () => set('accept'))}
          {!isRemoved && button('merge', () => setMerging(true))}
          {data.decision !== null && (
            <Button size="small" onClick={() => set(null)} disabled={decide.isPending}>
              Clear
            </Button>
          )}
        </div>
      )}
      {isRemoved && data.own === data.base ? (
        <CodeViewer text={data.own ?? ''} label="Text here" maxHeight={600} />
      ) : (
        <ThreeWay parts={parts} origin="pack" columns={columns} />
      )}
      {isMerging && (
        <MergeDialog
          ruleID={ruleID}
          importID={id}
          text={data.merged ?? mergedText(parts) ?? data.own ?? ''}
          onClose={() => setMerging(false)}
        />
      )}
    </div>
  );
}

const decidedText: Record<PackDecision, string> = {
  keep: 'The text here stays. The next update is compared with this one.',
  accept: 'The pack’s change replaces the text here when the import is accepted.',
  merge: 'The merged text becomes a draft when the import is accepted.',
};
const undecidedText = (isRemoved: boolean, isEdited: boolean): string =>
  isRemoved
    ? isEdited
      ? 'The pack no longer has this rule. It was changed here, and stays unless you retire it.'
      : 'The pack no longer has this rule. It is retired unless you keep it.'
    : 'Changed here and in the pack. Without a decision the text here stays, and the pack’s text becomes a draft.';
