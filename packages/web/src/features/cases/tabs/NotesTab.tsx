/** Notes of those who work on the case. Each says in so many words whether the client reads it. */
import GroupsOutlined from '@mui/icons-material/GroupsOutlined';
import LockOutlined from '@mui/icons-material/LockOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { AnalystCaseNote } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { refreshCase } from '../caseCache.ts';
import { disabledReason, failed, said } from '../caseTexts.ts';
import { NoteText } from '../parts/NoteText.tsx';
import { newNote, type TabProps } from './tab.ts';

const Sees = styled('span')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 4,
    height: 20,
    padding: '0 6px',
    borderRadius: 6,
    fontSize: 12,
    fontWeight: 600,
    color: palette.text.primary,
    border: `1px solid ${palette.divider}`,
    '&[data-shared]': { borderColor: palette.primary.main },
    '& svg': { fontSize: 14 },
  };
});

export function NoteVisibility({ isInternal }: { isInternal: boolean }) {
  return isInternal ? (
    <Sees title="The client does not see this note">
      <LockOutlined aria-hidden /> Internal
    </Sees>
  ) : (
    <Sees data-shared title="The client reads this note">
      <GroupsOutlined aria-hidden /> Shared with the client
    </Sees>
  );
}

export function NotesTab({ detail, timeZone, drafts }: TabProps) {
  const { analystCaseNotes: notes, can } = detail;
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {can.write ? <Write detail={detail} drafts={drafts} /> : <Note>{disabledReason.write(can.write)}</Note>}
      <Section title="Notes">
        {notes.length === 0 ? (
          <EmptyState
            title="No notes"
            text={can.seeInternals ? 'What you find out belongs here, for whoever comes next.' : 'None was shared with you yet.'}
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
        <AbsoluteTime at={note.createdTime} timeZone={timeZone} />
        {note.changedTime && (
          <span>
            changed <AbsoluteTime at={note.changedTime} timeZone={timeZone} />
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

function Write({ detail, drafts }: Pick<TabProps, 'detail' | 'drafts'>) {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const { note: draft, setNote } = drafts;
  const caseID = detail.caseGeneralInfo.id;
  const save = async () => {
    setBusy(true);
    try {
      await call(casesApi.saveNote, {
        body: { caseID, ...(draft.id ? { id: draft.id } : {}), text: draft.text, isInternal: draft.isInternal },
      });
      toast.success(said.notes, 'case');
      setNote(newNote);
      await refreshCase(queries, caseID);
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
  };
  return (
    <Box
      component="form"
      aria-label={draft.id ? 'Change the note' : 'New note'}
      className="no-print"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      sx={{ display: 'grid', gap: 1, maxWidth: 860 }}
    >
      <TextField
        label={draft.id ? 'Change the note' : 'New note'}
        helperText="Lists (- ), `code`, ``` blocks and https addresses are shown as such."
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
          aria-label="Who reads it"
          value={draft.isInternal ? 'internal' : 'shared'}
          onChange={(_, value) => setNote({ ...draft, isInternal: value === 'internal' })}
        >
          <FormControlLabel value="internal" control={<Radio size="small" />} label="Internal: the client does not see it" />
          <FormControlLabel value="shared" control={<Radio size="small" />} label="Shared with the client" />
        </RadioGroup>
        <Box sx={{ display: 'flex', gap: 1, ml: 'auto' }}>
          {(draft.id || draft.text !== '') && (
            <Button size="small" disabled={isBusy} onClick={() => setNote(newNote)}>
              Cancel
            </Button>
          )}
          <Button type="submit" variant="contained" size="small" loading={isBusy} disabled={draft.text.trim() === ''}>
            {draft.isInternal ? 'Save' : 'Save and share'}
          </Button>
        </Box>
      </Box>
    </Box>
  );
}
