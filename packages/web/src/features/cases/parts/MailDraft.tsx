/** A case email as it will be read, with its subject and message editable in place. */
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

const Paper = styled('div')({
  display: 'grid',
  gap: 12,
  padding: 16,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  fontSize: 13,
  whiteSpace: 'pre-line',
  overflowWrap: 'anywhere',
  '& .fixed': { color: palette.text.secondary },
});

interface Props {
  subject: string;
  text: string;
  /** Fixed texts around the message. */
  before: string;
  after: string;
  onSubject: (subject: string) => void;
  onText: (text: string) => void;
}

export function MailDraft({ subject, text, before, after, onSubject, onText }: Props) {
  return (
    <>
      <TextField
        size="small"
        label="Subject"
        value={subject}
        onChange={(event) => onSubject(event.target.value.replace(/[\r\n]+/g, ' '))}
        slotProps={{ htmlInput: { maxLength: 200 } }}
      />
      <Paper role="group" aria-label="Email">
        <div className="fixed">
          <VisibleText text={before} keepLines />
        </div>
        <TextField
          size="small"
          label="Message"
          value={text}
          onChange={(event) => onText(event.target.value)}
          multiline
          minRows={4}
          maxRows={16}
          slotProps={{ htmlInput: { maxLength: 20_000 } }}
        />
        <div className="fixed">
          <VisibleText text={after} keepLines />
        </div>
      </Paper>
    </>
  );
}
