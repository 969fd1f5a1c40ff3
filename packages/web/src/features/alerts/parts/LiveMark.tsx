/** Whether the list hears of what is new as it comes. */
import { styled } from '@mui/material/styles';
import type { StreamState } from '../../../lib/stream.ts';

const Line = styled('span')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 7,
    fontSize: 12,
    color: palette.text.secondary,
    whiteSpace: 'nowrap',
    '& i': { width: 7, height: 7, borderRadius: '50%', border: `1.5px solid ${palette.text.secondary}` },
    '&.open i': { border: 0, backgroundColor: palette.success.main },
  };
});
const texts: Record<StreamState | 'ended', [text: string, title: (what: string) => string]> = {
  connecting: ['Connecting…', (what) => `New ${what} will be announced here as soon as the line stands`],
  open: ['Live', (what) => `New ${what} are announced as they are raised`],
  waiting: ['Reconnecting…', () => 'The line broke; it is being taken up again. Nothing is lost meanwhile.'],
  ended: ['Not live', (what) => `New ${what} are not announced; reload the page to see them`],
};

/** `what`: that of which the list hears. */
export function LiveMark({ state, what = 'alerts' }: { state: StreamState | 'ended'; what?: string }) {
  const [text, title] = texts[state];
  return (
    <Line className={state} title={title(what)} role="status">
      <i aria-hidden />
      {text}
    </Line>
  );
}
