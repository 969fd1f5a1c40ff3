/** State of a list's live connection. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';
import type { StreamState } from './stream.ts';

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 7,
  fontSize: 12,
  color: palette.text.secondary,
  whiteSpace: 'nowrap',
  '& i': { width: 7, height: 7, borderRadius: '50%', border: `1.5px solid ${palette.text.secondary}` },
  '&.open i': { border: 0, backgroundColor: palette.success.main },
});
const texts: Record<StreamState | 'ended', [text: string, title: (what: string) => string]> = {
  connecting: ['Connecting…', (what) => `New ${what} appear here once connected`],
  open: ['Live', (what) => `New ${what} appear in real time`],
  waiting: ['Reconnecting…', () => 'Connection lost. Reconnecting…'],
  ended: ['Not live', (what) => `Reload the page to see new ${what}`],
};

/** `what`: plural noun of the listed rows. */
export function LiveMark({ state, what = 'alerts' }: { state: StreamState | 'ended'; what?: string }) {
  const [text, title] = texts[state];
  return (
    <Line className={state} title={title(what)} role="status">
      <i aria-hidden />
      {text}
    </Line>
  );
}
