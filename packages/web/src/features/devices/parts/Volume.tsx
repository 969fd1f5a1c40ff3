/** Events of the last 24 hours against the baseline, as numbers and as a bar that is full at the baseline. */
import { styled } from '@mui/material/styles';
import { abbreviate, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';

const Figures = styled('span')({
  display: 'inline-grid',
  justifyItems: 'end',
  gap: 2,
  fontVariantNumeric: 'tabular-nums',
  whiteSpace: 'nowrap',
  lineHeight: '18px',
  '& .usual': { color: palette.text.secondary, fontSize: 12 },
  '& .track': { width: '100%', height: 3, borderRadius: 2, backgroundColor: palette.action.hover, overflow: 'hidden' },
  '& .full': { display: 'block', height: 3, backgroundColor: palette.text.secondary },
});

export function Volume({ events, expected }: { events: number; expected: number | null }) {
  const title =
    expected === null
      ? `${exact(events)} events in 24 hours; learning baseline`
      : `${exact(events)} events in 24 hours; baseline ${exact(expected)}`;
  return (
    <Figures title={title}>
      <span>
        {abbreviate(events)} <span className="usual">of {expected === null ? '?' : abbreviate(expected)}</span>
      </span>
      {expected !== null && expected > 0 && (
        <span className="track" aria-hidden>
          <span className="full" style={{ width: `${Math.min(100, (100 * events) / expected)}%` }} />
        </span>
      )}
    </Figures>
  );
}
