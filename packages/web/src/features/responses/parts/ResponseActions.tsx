/** What can be done about a request now: approve or refuse it, say that it was done by hand, take it back or undo it. Each asks first. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { ResponseRow } from '@parapet/contract/responseRequests.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { useAcknowledge, useApprove, useUndo } from '../responses.queries.ts';
import { consequences, isPending, responseTexts } from '../responseTexts.ts';

const Row = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, '& .pair': { display: 'flex', gap: 8 } });
const Said = styled('p')(({ theme }) => ({
  margin: 0,
  fontSize: 12,
  lineHeight: '18px',
  color: (theme.vars ?? theme).palette.text.secondary,
}));

type Deed = 'approve' | 'refuse' | 'done' | 'failed' | 'undo';
const questions: Record<Deed, { title: string; label: string; needsNote?: true }> = {
  approve: { title: 'Approve this?', label: 'Why (optional)' },
  refuse: { title: 'Refuse this?', label: 'Why it is refused', needsNote: true },
  done: { title: 'It was done?', label: 'How it was seen' },
  failed: { title: 'It failed?', label: 'Why it failed', needsNote: true },
  undo: { title: 'Undo this?', label: 'Why (optional)' },
};

interface Props {
  row: ResponseRow;
  /** The request that counts afterwards: the opposite is one of its own. */
  onUndone?: (id: number) => void;
}

export function ResponseActions({ row, onUndone }: Props) {
  const mayWrite = useScope().may('responses:write');
  const [asked, setAsked] = useState<Deed>();
  const [note, setNote] = useState('');
  const [approve, undo, acknowledge] = [useApprove(), useUndo(), useAcknowledge()];
  const isBusy = approve.isPending || undo.isPending || acknowledge.isPending;
  const waits = row.approvalsNeeded > 0;
  const isByHand = row.via === 'manual' && isPending(row.state) && row.state !== 'requested';
  const ask = (deed: Deed) => {
    setNote('');
    setAsked(deed);
  };
  const close = () => setAsked(undefined);
  const answer = () => {
    const settled = { onSettled: close };
    if (asked === 'approve' || asked === 'refuse') approve.mutate({ row, isApproved: asked === 'approve', note }, settled);
    if (asked === 'done' || asked === 'failed') acknowledge.mutate({ row, isDone: asked === 'done', note }, settled);
    if (asked === 'undo') undo.mutate({ row, note }, { ...settled, onSuccess: (now) => onUndone?.(now.id) });
  };
  const question = asked && questions[asked];
  const undoLabel = isPending(row.state) ? 'Take back' : 'Undo';
  if (!waits && !isByHand && !row.mayUndo) return null;
  if (!mayWrite) return <Said>Your role reads responses; those who respond approve, confirm and undo them.</Said>;
  return (
    <>
      {isByHand && <Said>A person does this by hand and says so here.</Said>}
      {waits && row.approvalRefusal !== null && (
        <Said>
          <VisibleText text={row.approvalRefusal} />
        </Said>
      )}
      <Row className="no-print">
        {waits && (
          <span title={row.approvalRefusal ?? undefined} className="pair">
            <Button size="small" variant="contained" disabled={!row.mayApprove} onClick={() => ask('approve')}>
              Approve
            </Button>
            <Button size="small" variant="outlined" disabled={!row.mayApprove} onClick={() => ask('refuse')}>
              Refuse
            </Button>
          </span>
        )}
        {isByHand && (
          <>
            <Button size="small" variant="outlined" onClick={() => ask('done')}>
              Done
            </Button>
            <Button size="small" onClick={() => ask('failed')}>
              Failed
            </Button>
          </>
        )}
        {row.mayUndo && (
          <Button size="small" onClick={() => ask('undo')}>
            {undoLabel}
          </Button>
        )}
      </Row>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={asked === 'undo' && undoLabel === 'Take back' ? 'Take this back?' : (question?.title ?? '')}
        isBusy={isBusy}
        isYesOff={question?.needsNote === true && note.trim() === ''}
        onNo={close}
        onYes={answer}
      >
        {asked && (
          <>
            {responseTexts(row.action).name}{' '}
            <b>
              <VisibleText text={row.target} />
            </b>
            : {sentences[asked](row)}
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

const sentences: Record<Deed, (row: ResponseRow) => string> = {
  approve: (row) =>
    row.approvalsNeeded > 1
      ? 'one more person must approve it after you.'
      : row.via === 'agent'
        ? `it is sent to the agent at once, and the target ${consequences[row.action]}`
        : 'a person may do it then, by hand.',
  refuse: () => 'nothing is done, and whoever asked reads why.',
  done: () => 'say only what was observed.',
  failed: () => 'say why, so that the next one knows.',
  undo: (row) =>
    isPending(row.state)
      ? 'nobody does it any more. What its agent has begun already is undone.'
      : 'the opposite is asked for. It may need an approval of its own.',
};
