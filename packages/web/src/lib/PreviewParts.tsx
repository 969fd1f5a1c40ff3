/** Parts of a preview over the past, of rules, exceptions and suppressions alike: alerts or cases by day, malicious cases and examples. */
import type { Severity } from '@parapet/contract/primitives.ts';
import { Note } from '../kit/Note.tsx';
import { SeverityLabel } from '../kit/Severity.tsx';
import { VisibleText } from '../kit/VisibleText.tsx';
import { AppLink } from './AppLink.tsx';
import { paths } from './paths.ts';

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
