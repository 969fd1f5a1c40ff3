/** Bulk actions for the selected alerts, and the progress of the last one. */
import Button from '@mui/material/Button';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { Suspense, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { SelectionBar } from '../../../kit/SelectionBar.tsx';
import type { RowSelection } from '../../../kit/useRowSelection.ts';
import { WorkBar } from '../../../kit/WorkBar.tsx';
import { lazyDialog } from '../../../lib/LazyDialog.tsx';
import type { Mark, useMarkAlerts } from '../useMarkAlerts.ts';

// Loaded on demand: the form library is large, and suppressing a list is rare.
const SuppressAlerts = lazyDialog('the dialog', () => import('./SuppressAlerts.tsx').then((module) => module.SuppressAlerts));

interface Props {
  selection: RowSelection<AlertRow>;
  total: number;
  isTotalAtLeast: boolean;
  marks: ReturnType<typeof useMarkAlerts>;
  mayMark: boolean;
  maySuppress: boolean;
  onCopy: () => void;
}

export function AlertSelection({ selection, total, isTotalAtLeast, marks, mayMark, maySuppress, onCopy }: Props) {
  const [pendingMark, setPendingMark] = useState<Mark>();
  const [isSuppressing, setSuppressing] = useState(false);
  const { rows, isAll } = selection;
  const refusal = mayMark ? undefined : 'Your role can’t mark alerts as seen or unseen.';
  const button = (mark: Mark, text: string) => (
    <span title={refusal}>
      <Button
        size="small"
        disabled={refusal !== undefined || marks.isRunning}
        // Confirmed for "all", because that includes rows on other pages.
        onClick={() => (isAll ? setPendingMark(mark) : marks.mark(mark))}
        sx={{ height: 32 }}
      >
        {text}
      </Button>
    </span>
  );
  return (
    <>
      {marks.bulk && (
        <WorkBar
          text={marks.bulk.text}
          work={marks.bulk.job}
          isRunning={marks.isRunning}
          onUndo={marks.undo}
          onEnd={marks.dismiss}
        />
      )}
      <SelectionBar
        count={rows.length}
        isAll={isAll}
        total={total}
        isTotalAtLeast={isTotalAtLeast}
        {...(mayMark ? { onAll: selection.chooseAll } : {})}
        onClear={selection.clear}
      >
        {button('seen', 'Mark as seen')}
        {button('unseen', 'Mark as unseen')}
        {maySuppress && (
          <Button size="small" disabled={marks.isRunning} onClick={() => setSuppressing(true)} sx={{ height: 32 }}>
            Suppress…
          </Button>
        )}
        {!isAll && (
          <Button size="small" onClick={onCopy} sx={{ height: 32 }}>
            Copy
          </Button>
        )}
      </SelectionBar>
      {isSuppressing && (
        <Suspense>
          <SuppressAlerts
            subject={
              isAll ? `all ${exact(total)}${isTotalAtLeast ? '+' : ''} alerts in this list` : counted(rows.length, 'alert')
            }
            onSuppress={marks.suppress}
            onClose={() => setSuppressing(false)}
          />
        </Suspense>
      )}
      <ConfirmDialog
        isOpen={pendingMark !== undefined}
        title={`Mark these alerts as ${pendingMark ?? ''}?`}
        onNo={() => setPendingMark(undefined)}
        onYes={() => {
          if (pendingMark) marks.mark(pendingMark);
          setPendingMark(undefined);
        }}
      >
        All {exact(total)}
        {isTotalAtLeast && '+'} alerts in this list, including those on other pages, will be marked as {pendingMark}. You can undo
        this for 10 seconds after it finishes.
      </ConfirmDialog>
    </>
  );
}
