/** Parts of a preview over the past, of rules, exceptions, suppressions and grouping alike: progress, alerts or cases by day, malicious cases and examples. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { Severity } from '@parapet/contract/primitives.ts';
import type { ReactNode } from 'react';
import { Note } from '../kit/Note.tsx';
import { Nothing } from '../kit/rows.styles.ts';
import { SeverityLabel } from '../kit/Severity.tsx';
import { FailedLine } from '../kit/States.tsx';
import { absoluteTime } from '../kit/time.ts';
import { VisibleText } from '../kit/VisibleText.tsx';
import { AppLink } from './AppLink.tsx';
import { paths } from './paths.ts';
import { useScope } from './scope.ts';

interface Preview {
  state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  start: string;
  end: string;
  /** Of what is judged: in all, and until now. */
  total: number;
  scanned: number;
  failure: string | null;
}

interface PreviewStepsProps<P extends Preview> {
  query: { data: P | undefined; error: unknown; refetch: () => unknown };
  /** Its present work: "Judging 1,200 events". */
  working: (preview: P) => string;
  onCancel: () => void;
  children: (preview: P, range: string) => ReactNode;
}

export const isOpenPreview = (preview: Pick<Preview, 'state'> | undefined) =>
  preview?.state === 'waiting' || preview?.state === 'running';

/** A preview until it is done, with its progress and the reason where it ended otherwise; then the children. */
export function PreviewSteps<P extends Preview>({ query, working, onCancel, children }: PreviewStepsProps<P>) {
  const { timeZone } = useScope();
  const { data, error, refetch } = query;
  if (!data)
    return error ? (
      <FailedLine what="the preview" error={error} onRetry={() => void refetch()} />
    ) : (
      <LinearProgress aria-label="Preview" />
    );
  const range = `${absoluteTime(Date.parse(data.start), timeZone)} to ${absoluteTime(Date.parse(data.end), timeZone)}`;
  if (isOpenPreview(data))
    return (
      <div role="status" style={{ display: 'grid', gap: 8 }}>
        <span>
          {working(data)}, {range}
        </span>
        <LinearProgress
          aria-label="Preview"
          variant="determinate"
          value={data.total === 0 ? 0 : (100 * data.scanned) / data.total}
        />
        <div>
          <Button size="small" onClick={onCancel}>
            Cancel preview
          </Button>
        </div>
      </div>
    );
  if (data.state === 'cancelled') return <Nothing>Preview cancelled.</Nothing>;
  if (data.state === 'failed') return <Note tone="warning">{data.failure}</Note>;
  return children(data, range);
}

interface MaliciousCasesProps {
  caseIDs: readonly number[];
  /** Effect of the change, before the cases. */
  effect?: string;
  more?: string;
}

/** Nothing without cases. */
export function MaliciousCases({ caseIDs, effect = 'Hides alerts of malicious cases', more = '' }: MaliciousCasesProps) {
  if (caseIDs.length === 0) return null;
  return (
    <Note tone="warning">
      {effect}:{' '}
      {caseIDs.map((caseID) => (
        <AppLink key={caseID} href={paths.case(caseID)} style={{ marginRight: 8 }}>
          {caseID}
        </AppLink>
      ))}
      {more}
    </Note>
  );
}

const shownDays = 14;

interface DaysTableProps {
  days: readonly { day: string; lost: number; gained: number }[];
  /** Counted things. */
  counted?: 'Alerts' | 'Cases';
}

export function DaysTable({ days, counted = 'Alerts' }: DaysTableProps) {
  if (days.length === 0) return null;
  const hasGained = days.some(({ gained }) => gained > 0);
  return (
    <table aria-label={`${counted} by day`} style={{ borderSpacing: '16px 2px', marginLeft: -16, justifySelf: 'start' }}>
      <thead>
        <tr>
          <th scope="col" align="left">
            Day
          </th>
          <th scope="col" align="right">
            Lost
          </th>
          {hasGained && (
            <th scope="col" align="right">
              Gained
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {days.slice(-shownDays).map(({ day, lost, gained }) => (
          <tr key={day}>
            <td>{day}</td>
            <td align="right">{lost}</td>
            {hasGained && <td align="right">{gained}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const kinds = { lost: 'Lost', gained: 'Gained', changed: 'Severity' } as const;

interface Example {
  key: string;
  kind: keyof typeof kinds;
  criticality: Severity;
  summary: string;
}

export function Examples({ examples }: { examples: readonly Example[] }) {
  if (examples.length === 0) return null;
  return (
    <ul aria-label="Examples" style={{ margin: 0, paddingLeft: 20 }}>
      {examples.slice(0, 10).map(({ key, kind, criticality, summary }) => (
        <li key={key}>
          {kinds[kind]}: <SeverityLabel severity={criticality} /> <VisibleText text={summary} />
        </li>
      ))}
    </ul>
  );
}
