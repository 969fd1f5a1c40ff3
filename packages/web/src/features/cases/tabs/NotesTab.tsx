/** Analyst notes of a case, each labelled as internal or shared with the client. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import type { AnalystCaseNote } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { refreshCase } from '../caseCache.ts';
import { disabledReason, failureText, toastTexts } from '../caseTexts.ts';
import { NoteText } from '../parts/NoteText.tsx';
import { NoteVisibility } from '../parts/NoteVisibility.tsx';
import { newNote, type TabProps } from './tab.ts';

export function NotesTab({ detail, timeZone, drafts }: TabProps) {
  const { analystCaseNotes: notes, can } = detail;
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {can.write ? <NoteEditor detail={detail} drafts={drafts} /> : <Note>{disabledReason.write(can.write)}</Note>}
      <Section title="Notes">
        {notes.length === 0 ? (
          <EmptyState
            title="No notes yet"
            text={can.seeInternals ? 'Record findings for the next analyst.' : 'No notes have been shared with you.'}
          />
        ) : (
          <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
            {notes.map((note) => (
              <Box
                component="li"
                key={note.id}
                sx={{ py: 1.5, borderTop: '1px solid', borderColor: 'divider', '&:first-of-type': { borderTop: 0, pt: 0 } }}
              >
                <One
                  note={note}
                  timeZone={timeZone}
                  hasMark={can.seeInternals}
                  {...(can.write && note.isMine
                    ? { onEdit: () => drafts.setNote({ id: note.id, text: note.text, isInternal: note.isInternal }) }
                    : {})}
                />
              </Box>
            ))}
          </Box>
        )}
      </Section>
    </Box>
  );
}

function One({
  note,
  timeZone,
  hasMark,
  onEdit,
}: {
  note: AnalystCaseNote;
  timeZone: string;
  hasMark: boolean;
  onEdit?: () => void;
}) {
  return (
    <>
      <Box
        sx={{
          display: 'flex',
          flexWrap: 'wrap',
          alignItems: 'center',
          gap: '2px 8px',
          mb: 0.5,
          fontSize: 12,
          color: 'text.secondary',
        }}
      >
        <b>
          <VisibleText text={note.author} />
        </b>
        {note.source && (
          <span>
            in <VisibleText text={note.source} />
          </span>
        )}
        <AbsoluteTime at={note.createdTime} timeZone={timeZone} />
        {note.changedTime && (
          <span>
            edited <AbsoluteTime at={note.changedTime} timeZone={timeZone} />
          </span>
        )}
        {hasMark && <NoteVisibility isInternal={note.isInternal} />}
        {onEdit && (
          <Button size="small" onClick={onEdit} sx={{ minWidth: 0, minHeight: 24, py: 0, fontSize: 12 }}>
            Edit
          </Button>
        )}
      </Box>
      <NoteText text={note.text} />
    </>
  );
}

function NoteEditor({ detail, drafts }: Pick<TabProps, 'detail' | 'drafts'>) {
  const queries = useQueryClient();
  const { note: draft, setNote } = drafts;
  const caseID = detail.caseGeneralInfo.id;
  const save = useApiMutation(casesApi.saveNote, {
    success: toastTexts.notes,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: () => {
      setNote(newNote);
      void refreshCase(queries, caseID);
    },
  });
  return (
    <Box
      component="form"
      aria-label={draft.id ? 'Edit note' : 'New note'}
      className="no-print"
      onSubmit={(event) => {
        event.preventDefault();
        const { id, text, isInternal } = draft;
        save.mutate({ body: { caseID, ...(id ? { id } : {}), text, isInternal } });
      }}
      sx={{ display: 'grid', gap: 1, maxWidth: 860 }}
    >
      <TextField
        label={draft.id ? 'Edit note' : 'New note'}
        helperText="Supports lists (- ), `code`, ``` blocks and https addresses."
        value={draft.text}
        onChange={(event) => setNote({ ...draft, text: event.target.value })}
        multiline
        minRows={3}
        maxRows={20}
        fullWidth
        size="small"
        slotProps={{ htmlInput: { maxLength: 20_000 } }}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 16px' }}>
        <RadioGroup
          row
          aria-label="Visibility"
          value={draft.isInternal ? 'internal' : 'shared'}
          onChange={(_, value) => setNote({ ...draft, isInternal: value === 'internal' })}
        >
          <FormControlLabel value="internal" control={<Radio size="small" />} label="Internal: not visible to the client" />
          <FormControlLabel value="shared" control={<Radio size="small" />} label="Shared with the client" />
        </RadioGroup>
        <Box sx={{ display: 'flex', gap: 1, ml: 'auto' }}>
          {(draft.id || draft.text !== '') && (
            <Button size="small" disabled={save.isPending} onClick={() => setNote(newNote)}>
              Cancel
            </Button>
          )}
          <Button type="submit" variant="contained" size="small" loading={save.isPending} disabled={draft.text.trim() === ''}>
            {draft.isInternal ? 'Save' : 'Save and share'}
          </Button>
        </Box>
      </Box>
    </Box>
  );
}
