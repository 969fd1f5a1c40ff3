/** Labels of a case's status, verdict and SLA timer: always text, with an icon where it adds information. */
import { styled } from '@mui/material/styles';
import type { Clock } from '@parapet/contract/caseList.ts';
import { type CaseStatus, isClosed, statusLabel } from '@parapet/contract/rules/cases.ts';
import {
  calibrationNote,
  type JudgedVerdict,
  type Judgement,
  judgementText,
  verdictText,
} from '@parapet/contract/rules/judgement.ts';
import { AccessTimeRounded } from '../../../kit/icons/AccessTimeRounded.tsx';
import { AlarmOnRounded } from '../../../kit/icons/AlarmOnRounded.tsx';
import { GppBadOutlined } from '../../../kit/icons/GppBadOutlined.tsx';
import { GppMaybeOutlined } from '../../../kit/icons/GppMaybeOutlined.tsx';
import { HelpOutlineRounded } from '../../../kit/icons/HelpOutlineRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ShieldOutlined } from '../../../kit/icons/ShieldOutlined.tsx';
import { TimerOffOutlined } from '../../../kit/icons/TimerOffOutlined.tsx';
import { VerifiedUserOutlined } from '../../../kit/icons/VerifiedUserOutlined.tsx';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { useTick } from '../../../kit/RelativeTime.tsx';
import { SeverityIcon } from '../../../kit/Severity.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { clockState, clockText, slaTimerLabel } from '../clockText.ts';

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  minWidth: 0,
  whiteSpace: 'nowrap',
  fontVariantNumeric: 'tabular-nums',
  '& > svg': { flex: 'none', fontSize: 16, color: palette.text.secondary },
  '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '& b': { fontWeight: 600 },
});

const Chip = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  height: 22,
  padding: '0 8px',
  borderRadius: 6,
  fontSize: 12,
  fontWeight: 600,
  whiteSpace: 'nowrap',
  border: `1px solid ${palette.divider}`,
  color: palette.text.primary,
  backgroundColor: palette.background.paper,
  '&[data-closed]': { color: palette.text.secondary, fontWeight: 500, backgroundColor: 'transparent' },
  '&[data-new]': { borderColor: palette.primary.main },
});

export function StatusChip({ status }: { status: CaseStatus }) {
  return (
    <Chip data-closed={isClosed(status) || undefined} data-new={status === 'open' || undefined}>
      {statusLabel(status)}
    </Chip>
  );
}

const verdictIcons: Record<JudgedVerdict, typeof GppBadOutlined> = {
  Malicious: GppBadOutlined,
  Suspicious: GppMaybeOutlined,
  'Insufficient Information': HelpOutlineRounded,
  'Likely Benign': ShieldOutlined,
  Benign: VerifiedUserOutlined,
  'False positive': VerifiedUserOutlined,
  'Accepted risk': ShieldOutlined,
  Duplicate: ShieldOutlined,
};
/** Verdict with its confidence in words. `isShort` abbreviates both; the tooltip has the full text, the meaning of the level, and `note`. */
export function VerdictMark({
  judgement,
  note,
  isShort = false,
}: {
  judgement: Omit<Judgement, 'severity'>;
  note?: string;
  isShort?: boolean;
}) {
  const { verdict, confidence } = judgement;
  const Icon = verdict ? verdictIcons[verdict] : HelpOutlineRounded;
  const text = verdictText(judgement);
  const title = [text, confidence && calibrationNote(confidence), note].filter(Boolean).join('. ');
  return (
    <Line title={title}>
      <Icon aria-hidden />
      <span>{isShort ? shortText(judgement) : text}</span>
    </Line>
  );
}

function shortText(judgement: Omit<Judgement, 'severity'>): string {
  const { verdict, confidence } = judgement;
  if (verdict === 'Insufficient Information') return 'Insufficient';
  const name = verdictText({ verdict, confidence: null, by: 'decisioning' });
  return confidence ? `${name}, ${confidence}` : name;
}

/** Severity, verdict and confidence of a case as one line. */
export function JudgementLine({ judgement, note }: { judgement: Judgement; note?: string }) {
  const { severity, verdict, confidence } = judgement;
  const Icon = verdict ? verdictIcons[verdict] : HelpOutlineRounded;
  return (
    <Line
      title={[confidence && calibrationNote(confidence), note].filter(Boolean).join(' ')}
      style={{ whiteSpace: 'normal', fontWeight: 600 }}
    >
      <SeverityIcon severity={severity} />
      <Icon aria-hidden />
      <span>{judgementText(judgement)}</span>
    </Line>
  );
}

const clockIcons: Record<Clock['state'], [icon: typeof AccessTimeRounded, color?: 'error' | 'warning']> = {
  running: [AccessTimeRounded],
  warning: [WarningAmberRounded, 'warning'],
  breached: [TimerOffOutlined, 'error'],
  paused: [PauseCircleOutlineRounded],
  met: [AlarmOnRounded],
  missed: [TimerOffOutlined, 'error'],
};

interface ClockProps {
  clock: Clock;
  timeZone: string;
  isNamed?: boolean;
  isShort?: boolean;
}

/** SLA timer. `isNamed` adds the name of the target, `isShort` limits the time to its largest unit. */
export function ClockMark({ clock, timeZone, isNamed = false, isShort = false }: ClockProps) {
  // A single string, so that the label renders again only when its text changes.
  const [state, word, text] = useTick((now) => {
    const { word, text } = clockText(clock, now, isShort);
    return [clockState(clock, now), word, text].join('|');
  }).split('|') as [Clock['state'], string, string];
  const [Icon, color] = clockIcons[state];
  const target = clock.dueAt ? `, target ${absoluteTime(Date.parse(clock.dueAt), timeZone)}` : '';
  const waits = state === 'paused' ? ': waiting for client' : '';
  return (
    <Line title={`${slaTimerLabel[clock.name]}${waits}${target}`} style={isShort ? undefined : { whiteSpace: 'normal' }}>
      <Icon aria-hidden style={color ? { color: `var(--mui-palette-${color}-main)` } : undefined} />
      <span>
        {isNamed && `${slaTimerLabel[clock.name]}: `}
        {word && <b>{word}</b>}
        {word && text && ' '}
        <span style={{ whiteSpace: 'nowrap' }}>{text}</span>
      </span>
    </Line>
  );
}
