/** Says that an investigation ended wrongly; the case is open again then (spec §4). */
import TextField from '@mui/material/TextField';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { investigationStatusName } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { patchCase, recount, refreshCase } from '../caseCache.ts';
import { type CaseLike, failed, said } from '../caseTexts.ts';

export function MarkIncorrect({ of, isOpen, onClose }: { of: CaseLike; isOpen: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [notes, setNotes] = useState('');
  const [isBusy, setBusy] = useState(false);
  const mark = async () => {
    setBusy(true);
    try {
      const { case: row } = await call(reviewsApi.markIncorrect, { body: { caseID: of.id, notes } });
      patchCase(queries, of.id, row);
      toast.success(said.incorrect, 'case');
      onClose();
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
    recount(queries);
    void refreshCase(queries, of.id);
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Mark the investigation as incorrect?"
      isBusy={isBusy}
      onNo={onClose}
      onYes={() => void mark()}
    >
      It ended as {investigationStatusName(of.investigationStatus)}. Marked as incorrect, the case is open again.
      <TextField
        label="What was wrong"
        value={notes}
        onChange={(event) => setNotes(event.target.value)}
        multiline
        minRows={2}
        fullWidth
        size="small"
        sx={{ mt: 2 }}
        slotProps={{ htmlInput: { maxLength: 20_000 } }}
      />
    </ConfirmDialog>
  );
}
