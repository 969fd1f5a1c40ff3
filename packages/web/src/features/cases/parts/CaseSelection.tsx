/** Bulk actions for the selected cases, and the progress of the last one. */
import Button from '@mui/material/Button';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { type CaseStatus, isClosed, statusLabel } from '@parapet/contract/rules/cases.ts';
import { type Ref, Suspense, useImperativeHandle, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { SelectionBar } from '../../../kit/SelectionBar.tsx';
import type { RowSelection } from '../../../kit/useRowSelection.ts';
import { WorkBar } from '../../../kit/WorkBar.tsx';
import { lazyDialog } from '../../../lib/LazyDialog.tsx';
import { useScope } from '../../../lib/scope.ts';
import { disabledReason } from '../caseTexts.ts';
import type { useBulkCases } from '../useBulkCases.ts';
import { AnalystPicker } from './AnalystPicker.tsx';
import { StatusMenu } from './StatusMenu.tsx';

const ClosingDialog = lazyDialog('the dialog', () => import('./CloseCase.tsx').then((module) => module.ClosingDialog));

/** Keyboard shortcuts for the selection. */
export interface SelectionHandle {
  askStatus: (anchor: Element) => void;
  assignToMe: () => void;
  close: () => void;
}

interface Props {
  selection: RowSelection<CaseRow>;
  total: number;
  isTotalAtLeast: boolean;
  bulk: ReturnType<typeof useBulkCases>;
  handle: Ref<SelectionHandle>;
}

type OpenMenu = { what: 'status' | 'analyst'; anchor: Element };

export function CaseSelection({ selection, total, isTotalAtLeast, bulk, handle }: Props) {
  const { may, client, user, hasSelector } = useScope();
  const [openMenu, setOpenMenu] = useState<OpenMenu>();
  const [wanted, setWanted] = useState<CaseStatus>();
  const { rows, isAll } = selection;
  const subject = isAll ? `All ${exact(total)}${isTotalAtLeast ? '+' : ''} cases in this list` : counted(rows.length, 'case');
  const owners = new Set(rows.map((row) => row.clientOrganizationID));
  const owner = !isAll && owners.size === 1 ? [...owners][0]! : client;
  const noStatus = disabledReason.changeStatus(may('cases:changeStatus'));
  const noWrite = disabledReason.write(may('cases:write'));
  // Confirmed for "all", because that includes rows on other pages, and for closing.
  const setStatus = (status: CaseStatus) => (isAll || isClosed(status) ? setWanted(status) : bulk.setStatus(status));
  useImperativeHandle(handle, () => ({
    askStatus: (anchor) => noStatus === undefined && setOpenMenu({ what: 'status', anchor }),
    assignToMe: () => noWrite === undefined && bulk.assign(user),
    close: () => noStatus === undefined && setWanted('closed'),
  }));
  const effect = `${subject} will be set to ${wanted ? statusLabel(wanted) : ''} where their current status allows it. The others don’t change. You can undo this for 10 seconds after it finishes.`;
  const button = (text: string, reason: string | undefined, act: (anchor: Element) => void) => (
    <span title={reason}>
      <Button
        size="small"
        disabled={reason !== undefined || bulk.isRunning}
        onClick={(event) => act(event.currentTarget)}
        sx={{ height: 32 }}
      >
        {text}
      </Button>
    </span>
  );
  return (
    <>
      {bulk.bulk && (
        <WorkBar text={bulk.bulk.text} work={bulk.bulk.job} isRunning={bulk.isRunning} onUndo={bulk.undo} onEnd={bulk.dismiss} />
      )}
      <SelectionBar
        count={rows.length}
        isAll={isAll}
        total={total}
        isTotalAtLeast={isTotalAtLeast}
        onAll={selection.chooseAll}
        onClear={selection.clear}
      >
        {button('Status', noStatus, (anchor) => setOpenMenu({ what: 'status', anchor }))}
        {button('Assign', noWrite, (anchor) => setOpenMenu({ what: 'analyst', anchor }))}
        {button('Close', noStatus, () => setWanted('closed'))}
      </SelectionBar>
      <StatusMenu
        anchor={openMenu?.what === 'status' ? openMenu.anchor : null}
        from={!isAll && rows.length === 1 ? rows[0]?.status : undefined}
        onChoose={setStatus}
        onClose={() => setOpenMenu(undefined)}
      />
      <AnalystPicker
        anchor={openMenu?.what === 'analyst' ? openMenu.anchor : null}
        client={owner}
        current={undefined}
        onChoose={bulk.assign}
        onClose={() => setOpenMenu(undefined)}
      />
      <ConfirmDialog
        isOpen={wanted !== undefined && !isClosed(wanted)}
        title={`Set these cases to ${wanted ? statusLabel(wanted) : ''}?`}
        onNo={() => setWanted(undefined)}
        onYes={() => {
          if (wanted) bulk.setStatus(wanted);
          setWanted(undefined);
        }}
      >
        {effect}
      </ConfirmDialog>
      {wanted !== undefined && isClosed(wanted) && (
        <Suspense fallback={null}>
          <ClosingDialog
            title="Close these cases?"
            onSubmit={async ({ resolution, reason }) => {
              bulk.setStatus(wanted, { resolution, reason });
              return true;
            }}
            onClose={() => setWanted(undefined)}
          >
            {effect} {hasSelector && 'Critical and malicious cases with open items don’t change either.'}
          </ClosingDialog>
        </Suspense>
      )}
    </>
  );
}
