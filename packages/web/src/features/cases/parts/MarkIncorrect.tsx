/** Marks an investigation as incorrect, which reopens the case (spec §4). */
import TextField from '@mui/material/TextField';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { investigationStatusName } from '@parapet/contract/rules/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { patchCase, recount, refreshCase } from '../caseCache.ts';
import { type CaseLike, failureText, toastTexts } from '../caseTexts.ts';

export function MarkIncorrect({ of, isOpen, onClose }: { of: CaseLike; isOpen: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [notes, setNotes] = useState('');
  const mark = useApiMutation(reviewsApi.markIncorrect, {
    success: toastTexts.incorrect,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: ({ case: row }) => {
      patchCase(queries, of.id, row);
      onClose();
    },
    onSettled: () => {
      recount(queries);
      void refreshCase(queries, of.id);
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Mark this investigation as incorrect?"
      isBusy={mark.isPending}
      onNo={onClose}
      onYes={() => mark.mutate({ body: { caseID: of.id, notes } })}
    >
      It ended as {investigationStatusName(of.investigationStatus)}. Marking it as incorrect reopens the case.
      <TextField
        label="Notes"
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
