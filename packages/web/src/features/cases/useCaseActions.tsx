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
import { useState } from 'react';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useScope } from '../../lib/scope.ts';
import { toast } from '../../lib/toast.ts';
import { type CaseLike, closingStatus, disabledReason } from './caseTexts.ts';
import { AnalystPicker } from './parts/AnalystPicker.tsx';
import { ConflictDialog } from './parts/ConflictDialog.tsx';
import { StatusMenu } from './parts/StatusMenu.tsx';
import { useCaseChange } from './useCaseChange.ts';

const waits = [
  { hours: 24, text: '1 day' },
  { hours: defaultWaitHours, text: '3 days' },
  { hours: 168, text: '1 week' },
];

type OpenDialog = { what: 'status' | 'analyst' | 'investigation'; of: CaseLike; anchor: Element };
type Confirmed = { of: CaseLike; to: CaseStatus } | { of: CaseLike; wait: number };

/** `can` holds the user's permissions; on the case page, those of the server's answer. */
export function useCaseActions(can: { write: boolean; changeStatus: boolean }) {
  const { user } = useScope();
  const changes = useCaseChange();
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const [confirmed, setConfirmed] = useState<Confirmed>();
  const open = openDialog ? { ...openDialog } : undefined;
  const anchorOf = (what: OpenDialog['what']) => (open?.what === what ? open.anchor : null);

  /** Shows the reason as a toast when a shortcut is not permitted. */
  const allowed = (reason: string | undefined): boolean => {
    if (reason) toast.info(reason, 'case');
    return reason === undefined;
  };
  const setStatus = (of: CaseLike, to: CaseStatus) => {
    if (isClosed(to)) setConfirmed({ of, to });
    else void changes.setStatus(of, to);
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
      <Menu
        anchorEl={anchorOf('investigation')}
        open={anchorOf('investigation') !== null}
        onClose={() => setOpenDialog(undefined)}
        slotProps={{ list: { dense: true, 'aria-label': 'Investigation status' } }}
      >
        {investigationStatuses
          .filter(({ id }) => id !== investigationStatusIds.markedIncorrect)
          .map(({ id, name }) => (
            <MenuItem
              key={id}
              selected={id === open?.of.investigationStatus}
              onClick={() => {
                if (!open) return;
                setOpenDialog(undefined);
                if (id === investigationStatusIds.waitingForClient) setConfirmed({ of: open.of, wait: defaultWaitHours });
                else if (id !== open.of.investigationStatus) void changes.setInvestigation(open.of, id);
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
      <ConfirmDialog
        isOpen={confirmed !== undefined}
        title={confirmed && 'to' in confirmed ? `Close case ${confirmed.of.incidentID}?` : 'Wait for the client?'}
        onNo={() => setConfirmed(undefined)}
        onYes={() => {
          if (!confirmed) return;
          setConfirmed(undefined);
          if ('to' in confirmed) void changes.setStatus(confirmed.of, confirmed.to);
          else void changes.setInvestigation(confirmed.of, investigationStatusIds.waitingForClient, confirmed.wait);
        }}
      >
        {confirmed && 'to' in confirmed && (
          <>
            “<VisibleText text={confirmed.of.title} />” becomes {statusLabel(confirmed.to)}, its SLA timers stop, and it goes to
            review.
          </>
        )}
        {confirmed && 'wait' in confirmed && (
          <>
            The SLA timers of case {confirmed.of.incidentID} pause until the client answers, at most for:
            <RadioGroup
              aria-label="Maximum wait"
              value={confirmed.wait}
              onChange={(_, hours) => setConfirmed({ of: confirmed.of, wait: Number(hours) })}
            >
              {waits.map(({ hours, text }) => (
                <FormControlLabel key={hours} value={hours} control={<Radio size="small" />} label={text} />
              ))}
            </RadioGroup>
          </>
        )}
      </ConfirmDialog>
      <ConflictDialog conflict={changes.conflict} onClose={changes.closeConflict} />
    </>
  );

  const ask = (what: OpenDialog['what']) => (of: CaseLike, anchor: Element) => {
    const reason = what === 'status' ? disabledReason.changeStatus(can.changeStatus) : disabledReason.write(can.write);
    if (allowed(reason)) setOpenDialog({ what, of, anchor });
  };
  return {
    askStatus: ask('status'),
    askAnalyst: ask('analyst'),
    askInvestigation: ask('investigation'),
    assignToMe: (of: CaseLike) => {
      if (!allowed(disabledReason.write(can.write)) || of.analystUserAccountID === user.id) return;
      // Same format as the server's display name.
      const [first = '', ...last] = user.displayName.trim().split(/\s+/);
      void changes.assign(of, { id: user.id, displayName: shortName(first, last.join(' ')) });
    },
    close: (of: CaseLike) => {
      if (!allowed(disabledReason.changeStatus(can.changeStatus))) return;
      const to = closingStatus(of.status);
      if (to) setConfirmed({ of, to });
      else toast.info(`Case ${of.incidentID} is ${statusLabel(of.status)} and can’t be closed`, 'case');
    },
    dialogs,
  };
}
export type CaseActions = ReturnType<typeof useCaseActions>;
