/**
 * Actions on one case by menus and keyboard shortcuts, in the list, its side panel and on the case page: menus, confirmations and edit
 * conflicts. The page renders `dialogs` once.
 */
import FormControlLabel from '@mui/material/FormControlLabel';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import {
  type CaseStatus,
  defaultWaitHours,
  investigationStatuses,
  investigationStatusIds,
  isClosed,
  shortName,
  statusLabel,
} from '@parapet/contract/rules/cases.ts';
import { Suspense, useState } from 'react';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { lazyDialog } from '../../lib/LazyDialog.tsx';
import { useScope } from '../../lib/scope.ts';
import { toast } from '../../lib/toast.ts';
import { type CaseLike, closingStatus, disabledReason } from './caseTexts.ts';
import { AnalystPicker } from './parts/AnalystPicker.tsx';
import { ConflictDialog } from './parts/ConflictDialog.tsx';
import { StatusMenu } from './parts/StatusMenu.tsx';
import { useCaseChange } from './useCaseChange.ts';
import { useUndo } from './useUndo.ts';

const CloseCase = lazyDialog('the dialog', () => import('./parts/CloseCase.tsx').then((module) => module.CloseCase));

const waits = [
  { hours: 24, text: '1 day' },
  { hours: defaultWaitHours, text: '3 days' },
  { hours: 168, text: '1 week' },
];

type OpenDialog = { what: 'status' | 'analyst' | 'investigation'; of: CaseLike; anchor: Element };
type Wait = { of: CaseLike; wait: number };

/** `can` holds the user's permissions; on the case page, those of the server's answer. */
export function useCaseActions(can: { write: boolean; changeStatus: boolean }) {
  const { user } = useScope();
  const plain = useCaseChange();
  const { undo, ...undoable } = useUndo(plain);
  const changes = { ...plain, ...undoable };
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const [closing, setClosing] = useState<{ of: CaseLike; to: CaseStatus }>();
  const [waiting, setWaiting] = useState<Wait>();
  const open = openDialog ? { ...openDialog } : undefined;
  const anchorOf = (what: OpenDialog['what']) => (open?.what === what ? open.anchor : null);

  /** Shows the reason as a toast when a shortcut is not permitted. */
  const allowed = (reason: string | undefined): boolean => {
    if (reason) toast.info(reason, 'case');
    return reason === undefined;
  };
  const setStatus = (of: CaseLike, to: CaseStatus) => {
    if (isClosed(to)) setClosing({ of, to });
    else void changes.setStatus(of, to);
  };
  const setInvestigation = (of: CaseLike, id: number) => {
    if (id === investigationStatusIds.waitingForClient) setWaiting({ of, wait: defaultWaitHours });
    else if (id !== of.investigationStatus) void changes.setInvestigation(of, id);
  };

  const dialogs = (
    <>
      <StatusMenu
        anchor={anchorOf('status')}
        from={open?.of.status}
        onChoose={(status) => open && setStatus(open.of, status)}
        onClose={() => setOpenDialog(undefined)}
      />
      <AnalystPicker
        anchor={anchorOf('analyst')}
        client={open?.of.clientOrganizationID ?? 0}
        current={open?.of.analystUserAccountID}
        onChoose={(analyst) => open && void changes.assign(open.of, analyst)}
        onClose={() => setOpenDialog(undefined)}
      />
      <InvestigationMenu
        anchor={anchorOf('investigation')}
        of={open?.of}
        onChoose={(id) => open && setInvestigation(open.of, id)}
        onClose={() => setOpenDialog(undefined)}
      />
      {closing && (
        <Suspense fallback={null}>
          <CloseCase
            {...closing}
            onSubmit={(stated) => changes.setStatus(closing.of, closing.to, stated)}
            onClose={() => setClosing(undefined)}
          />
        </Suspense>
      )}
      <ConfirmWait
        waiting={waiting}
        onChange={setWaiting}
        onYes={({ of, wait }) => {
          setWaiting(undefined);
          void changes.setInvestigation(of, investigationStatusIds.waitingForClient, wait);
        }}
      />
      <ConflictDialog conflict={changes.conflict} onClose={changes.closeConflict} />
    </>
  );

  const openFor = (what: OpenDialog['what']) => (of: CaseLike, anchor: Element) => {
    const reason = what === 'status' ? disabledReason.changeStatus(can.changeStatus) : disabledReason.write(can.write);
    if (allowed(reason)) setOpenDialog({ what, of, anchor });
  };
  return {
    askStatus: openFor('status'),
    askAnalyst: openFor('analyst'),
    askInvestigation: openFor('investigation'),
    acknowledge: (of: CaseLike) => {
      if (allowed(disabledReason.write(can.write))) void changes.acknowledge(of);
    },
    assignToMe: (of: CaseLike) => {
      if (!allowed(disabledReason.write(can.write)) || of.analystUserAccountID === user.id) return;
      // Same format as the server's display name.
      const [first = '', ...last] = user.displayName.trim().split(/\s+/);
      void changes.assign(of, { id: user.id, displayName: shortName(first, last.join(' ')) });
    },
    close: (of: CaseLike) => {
      if (!allowed(disabledReason.changeStatus(can.changeStatus))) return;
      const to = closingStatus(of.status);
      if (to) setClosing({ of, to });
      else toast.info(`Case ${of.incidentID} is ${statusLabel(of.status)} and can’t be closed`, 'case');
    },
    undo,
    dialogs,
  };
}
export type CaseActions = ReturnType<typeof useCaseActions>;

interface MenuProps {
  anchor: Element | null;
  of: CaseLike | undefined;
  onChoose: (status: number) => void;
  onClose: () => void;
}

function InvestigationMenu({ anchor, of, onChoose, onClose }: MenuProps) {
  return (
    <Menu
      anchorEl={anchor}
      open={anchor !== null}
      onClose={onClose}
      slotProps={{ list: { dense: true, 'aria-label': 'Investigation status' } }}
    >
      {investigationStatuses
        .filter(({ id }) => id !== investigationStatusIds.markedIncorrect)
        .map(({ id, name }) => (
          <MenuItem
            key={id}
            selected={id === of?.investigationStatus}
            onClick={() => {
              onClose();
              onChoose(id);
            }}
          >
            <ListItemText
              primary={name}
              secondary={id === investigationStatusIds.waitingForClient ? 'SLA timers pause until the wait ends' : undefined}
              slotProps={{ secondary: { sx: { fontSize: 12 } } }}
            />
          </MenuItem>
        ))}
    </Menu>
  );
}

interface WaitProps {
  waiting: Wait | undefined;
  onChange: (waiting: Wait | undefined) => void;
  onYes: (waiting: Wait) => void;
}

function ConfirmWait({ waiting, onChange, onYes }: WaitProps) {
  return (
    <ConfirmDialog
      isOpen={waiting !== undefined}
      title="Wait for the client?"
      onNo={() => onChange(undefined)}
      onYes={() => waiting && onYes(waiting)}
    >
      {waiting && (
        <>
          The SLA timers of case {waiting.of.incidentID} pause until the client answers, at most for:
          <RadioGroup
            aria-label="Maximum wait"
            value={waiting.wait}
            onChange={(_, hours) => onChange({ of: waiting.of, wait: Number(hours) })}
          >
            {waits.map(({ hours, text }) => (
              <FormControlLabel key={hours} value={hours} control={<Radio size="small" />} label={text} />
            ))}
          </RadioGroup>
        </>
      )}
    </ConfirmDialog>
  );
}
