/** Progress of the demo world while it is being created: stage, percent, time left. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';
import { useDemoProgress } from './brand.ts';

const Strip = styled('section')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  width: '100%',
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  '& strong': { fontSize: 14, lineHeight: '20px', fontWeight: 600, color: palette.text.primary },
  '& progress': {
    appearance: 'none',
    flex: '1 1 120px',
    height: 6,
    border: 0,
    borderRadius: 3,
    overflow: 'hidden',
    backgroundColor: palette.divider,
    '&::-webkit-progress-bar': { backgroundColor: palette.divider },
    '&::-webkit-progress-value': { backgroundColor: palette.primary.main, borderRadius: 3 },
    '&::-moz-progress-bar': { backgroundColor: palette.primary.main },
  },
  '&[data-place=shell]': {
    padding: '6px 24px',
    borderBottom: `1px solid ${palette.divider}`,
    '& strong': { fontSize: 12, lineHeight: '16px' },
    '@media (max-width: 599.95px)': { padding: '6px 16px' },
  },
  '&[data-place=sign-in]': {
    maxWidth: 400,
    padding: '12px 14px',
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    backgroundColor: palette.background.paper,
    '& progress': { flexBasis: '100%' },
    '@media (min-width: 1200px)': { maxWidth: 640 },
  },
});

const timeLeft = (seconds: number) => (seconds < 60 ? `about ${seconds} s left` : `about ${Math.ceil(seconds / 60)} min left`);

/** Renders nothing once the world is complete. */
export function DemoProgress({ place }: { place: 'sign-in' | 'shell' }) {
  const progress = useDemoProgress();
  if (!progress) return null;
  const { stage, percent, secondsLeft, canSignIn } = progress;
  return (
    <Strip data-place={place} className="no-print" aria-label="Demo data">
      <strong>{canSignIn ? 'Creating demo data: figures are incomplete' : 'Creating demo data'}</strong>
      <progress max={100} value={percent} aria-label="Demo data created" />
      <span>
        {stage} · {percent}%{secondsLeft !== null && ` · ${timeLeft(secondsLeft)}`}
      </span>
    </Strip>
  );
}
