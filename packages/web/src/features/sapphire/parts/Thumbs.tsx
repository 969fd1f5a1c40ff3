/** Rating of an answer (spec §2.6, §4); after a thumb down, optional written feedback. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { type FormEvent, useState } from 'react';
import { ThumbDownOutlined } from '../../../kit/icons/ThumbDownOutlined.tsx';
import { ThumbDownRounded } from '../../../kit/icons/ThumbDownRounded.tsx';
import { ThumbUpOutlined } from '../../../kit/icons/ThumbUpOutlined.tsx';
import { ThumbUpRounded } from '../../../kit/icons/ThumbUpRounded.tsx';
import { toast } from '../../../lib/toast.ts';
import type { Conversation } from '../conversation.ts';
import type { Entry } from '../storedConversation.ts';
import { Box, Small } from './sapphire.styles.tsx';

const scrollIntoView = (form: HTMLElement | null) => form?.scrollIntoView({ block: 'nearest' });
const reportError = (error: unknown) =>
  toast.error(`Couldn’t send your feedback. ${error instanceof Error ? error.message : ''}`);

export function Thumbs({ entry, conversation }: { entry: Entry; conversation: Conversation }) {
  const [isAsking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const flag = (value: 0 | 1) => {
    setAsking(value === 0 && !entry.hasSaid);
    conversation.flag(entry, value).catch(reportError);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await conversation.feedback(entry, text);
      setAsking(false);
    } catch (error) {
      reportError(error);
    }
  };
  const isUp = entry.flag === 1;
  const isDown = entry.flag === 0;
  return (
    <>
      <Small>
        <span>Did this help?</span>
        <IconButton size="small" aria-label="Yes, this helped" aria-pressed={isUp} onClick={() => flag(1)}>
          {isUp ? <ThumbUpRounded color="primary" sx={{ fontSize: 16 }} /> : <ThumbUpOutlined sx={{ fontSize: 16 }} />}
        </IconButton>
        <IconButton size="small" aria-label="No, this did not help" aria-pressed={isDown} onClick={() => flag(0)}>
          {isDown ? <ThumbDownRounded color="primary" sx={{ fontSize: 16 }} /> : <ThumbDownOutlined sx={{ fontSize: 16 }} />}
        </IconButton>
        <span role="status">{entry.flag !== undefined && 'Thanks for your feedback!'}</span>
      </Small>
      {isAsking && isDown && (
        <form ref={scrollIntoView} onSubmit={(event) => void send(event)} style={{ display: 'grid', gap: 8 }}>
          <Box>
            What was missing or wrong? (optional)
            <textarea rows={2} maxLength={4_000} value={text} onChange={(event) => setText(event.target.value)} />
          </Box>
          <div style={{ display: 'flex', gap: 8 }}>
            <Button type="submit" size="small" variant="outlined" disabled={text.trim() === ''}>
              Send
            </Button>
            <Button size="small" onClick={() => setAsking(false)}>
              Not now
            </Button>
          </div>
        </form>
      )}
    </>
  );
}
