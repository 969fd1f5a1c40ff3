/** Actions on a request: approve, refuse, confirm manual completion, cancel, undo. Each requires confirmation. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { ResponseRow } from '@parapet/contract/responseRequests.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { useAcknowledge, useApprove, useUndo } from '../responses.queries.ts';
import { consequences, isPending, responseTexts } from '../responseTexts.ts';

const Row = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, '& .pair': { display: 'flex', gap: 8 } });
const Hint = styled('p')({ margin: 0, fontSize: 12, lineHeight: '18px', color: palette.text.secondary });

type Action = 'approve' | 'refuse' | 'done' | 'verified' | 'failed' | 'cancel' | 'undo';
const questions: Record<Action, { title: string; label: string; needsNote?: true }> = {
  approve: { title: 'Approve this request?', label: 'Reason (optional)' },
  refuse: { title: 'Refuse this request?', label: 'Reason', needsNote: true },
  done: { title: 'Confirm completion?', label: 'How it was verified' },
  verified: { title: 'Confirm verification?', label: 'How it was verified', needsNote: true },
  failed: { title: 'Report failure?', label: 'Cause', needsNote: true },
  cancel: { title: 'Cancel this request?', label: 'Reason (optional)' },
  undo: { title: 'Undo this response?', label: 'Reason (optional)' },
};

interface Props {
  row: ResponseRow;
  /** Receives the resulting request: undoing creates a request of its own. */
  onUndone?: (id: number) => void;
}

export function ResponseActions({ row, onUndone }: Props) {
  const mayWrite = useScope().may('responses:write');
  const [confirming, setConfirming] = useState<Action>();
  const [note, setNote] = useState('');
  const [approve, undo, acknowledge] = [useApprove(), useUndo(), useAcknowledge()];
  const isBusy = approve.isPending || undo.isPending || acknowledge.isPending;
  const waits = row.approvalsNeeded > 0;
  const isManual = row.via === 'manual' && isPending(row.state) && row.state !== 'requested';
  const isUnverified = row.via === 'manual' && row.state === 'acknowledged';
  const open = (action: Action) => {
    setNote('');
    setConfirming(action);
  };
  const close = () => setConfirming(undefined);
  const confirm = () => {
    const settled = { onSettled: close };
    switch (confirming) {
      case 'approve':
      case 'refuse':
        return approve.mutate({ row, isApproved: confirming === 'approve', note }, settled);
      case 'done':
      case 'verified':
      case 'failed':
        return acknowledge.mutate({ row, isDone: confirming !== 'failed', note }, settled);
      case 'cancel':
      case 'undo':
        return undo.mutate({ row, note }, { ...settled, onSuccess: (now) => onUndone?.(now.id) });
    }
  };
  const question = confirming && questions[confirming];
  if (!waits && !isManual && !isUnverified && !row.mayUndo) return null;
  if (!mayWrite) return <Hint>Your role can view responses but not approve, confirm or undo them.</Hint>;
  return (
    <>
      {isManual && <Hint>Manual task: complete it, then confirm here.</Hint>}
      {waits && row.approvalRefusal !== null && (
        <Hint>
          <VisibleText text={row.approvalRefusal} />
        </Hint>
      )}
      <Row className="no-print">
        {waits && (
          <span title={row.approvalRefusal ?? undefined} className="pair">
            <Button size="small" variant="contained" disabled={!row.mayApprove} onClick={() => open('approve')}>
              Approve
            </Button>
            <Button size="small" variant="outlined" disabled={!row.mayApprove} onClick={() => open('refuse')}>
              Refuse
            </Button>
          </span>
        )}
        {isManual && (
          <>
            <Button size="small" variant="outlined" onClick={() => open('done')}>
              Done
            </Button>
            <Button size="small" onClick={() => open('failed')}>
              Failed
            </Button>
          </>
        )}
        {isUnverified && (
          <Button size="small" variant="outlined" onClick={() => open('verified')}>
            Confirm verification
          </Button>
        )}
        {row.mayUndo && (
          <Button size="small" onClick={() => open(isPending(row.state) ? 'cancel' : 'undo')}>
            {isPending(row.state) ? 'Cancel request' : 'Undo'}
          </Button>
        )}
      </Row>
      <ConfirmDialog
        isOpen={confirming !== undefined}
        title={question?.title ?? ''}
        isBusy={isBusy}
        isYesOff={question?.needsNote === true && note.trim() === ''}
        onNo={close}
        onYes={confirm}
      >
        {confirming && (
          <>
            {responseTexts(row.action).name}{' '}
            <b>
              <VisibleText text={row.target} />
            </b>
            : {effects[confirming](row)}
            <TextField
              label={question?.label}
              value={note}
              onChange={(event) => setNote(event.target.value)}
              multiline
              minRows={2}
              fullWidth
              size="small"
              sx={{ mt: 2 }}
              slotProps={{ htmlInput: { maxLength: 2000 } }}
            />
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

const effects: Record<Action, (row: ResponseRow) => string> = {
  approve: (row) =>
    row.approvalsNeeded > 1
      ? 'one more approval is needed after yours.'
      : row.via === 'manual'
        ? 'it becomes a manual task.'
        : `it is sent to ${row.via === 'agent' ? 'the agent' : 'the client’s service'} immediately, and the target ${consequences[row.action]}`,
  refuse: () => 'no action is taken. The requester sees your reason.',
  done: () => 'report only what you observed. Without a note on how it was verified, it counts as not verified.',
  verified: () => 'report only what you observed.',
  failed: () => 'describe the cause for the next attempt.',
  cancel: () => 'the request is cancelled. Started steps are rolled back.',
  undo: () => 'the opposite action is requested. It may need its own approval.',
};
