/** Monthly report, from the same builder as its files. */
import { styled } from '@mui/material/styles';
import { Problem } from '@parapet/contract/problem.ts';
import type { Report } from '@parapet/contract/reports.ts';
import type { ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { Note } from '../../../kit/Note.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SkeletonBar, TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { Section } from '../parts/Section.tsx';
import { reportQuery, type Which } from '../reports.queries.ts';

const Whole = styled('div')({ display: 'grid', gap: 24, minWidth: 0, '& > *': { minWidth: 0 } });
const Facts = styled('p')({ margin: 0, fontSize: 13, color: palette.text.secondary });
const Ways = styled('nav')({
  '& ul': { display: 'flex', flexWrap: 'wrap', gap: '6px 8px', margin: 0, padding: 0, listStyle: 'none' },
  '& a': {
    display: 'block',
    padding: '4px 10px',
    fontSize: 13,
    color: palette.text.primary,
    textDecoration: 'none',
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
  },
  '& a:hover': { backgroundColor: palette.action.hover },
});
const Words = styled('div')({
  fontSize: 15,
  lineHeight: '24px',
  maxWidth: 820,
  overflowWrap: 'anywhere',
  '& p': { margin: '0 0 8px' },
  '& p:last-child': { marginBottom: 0 },
});
const Next = styled('ol')({
  margin: 0,
  paddingLeft: 22,
  display: 'grid',
  gap: 10,
  fontSize: 14,
  maxWidth: 820,
  overflowWrap: 'anywhere',
  '& span': { display: 'block', color: palette.text.secondary, fontSize: 13 },
});

const nextId = 'report-recommendations';

export function ReportTab({ which, month }: { which: Which; month: ReportingMonth }) {
  const report = useQuery(reportQuery(which));
  if (report.data) return <Parts report={report.data} month={month} />;
  if (report.error instanceof Problem && report.error.code === 'notFound')
    return <EmptyState title={`No report for ${month.label}`} text={report.error.message} />;
  if (report.error) return <FailedState what="the report" error={report.error} onRetry={() => void report.refetch()} />;
  return (
    <Whole aria-busy>
      <Facts>
        <SkeletonBar width={260} height={12} />
      </Facts>
      <Card title="Summary">
        <TextSkeleton lines={5} lineHeight={24} />
      </Card>
      <SkeletonBar height={72} />
      <SkeletonBar height={320} />
      <SkeletonBar height={320} />
    </Whole>
  );
}

function Parts({ report, month }: { report: Report; month: ReportingMonth }) {
  const { timeZone, may } = useScope();
  const { sections, recommendations } = report;
  return (
    <Whole>
      <Facts>
        {month.label}, {report.isComplete ? 'complete month' : 'to date'} · time zone {report.timeZone} · generated{' '}
        <AbsoluteTime at={report.madeAt} timeZone={timeZone} />
      </Facts>
      {!report.isComplete && <Note>This month is not over yet. Its figures are preliminary.</Note>}
      <Card title="Summary">
        <Words>
          {report.summary.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of one unchanging text.
            <p key={at}>
              <VisibleText text={text} keepLines />
            </p>
          ))}
        </Words>
      </Card>
      {sections.length > 1 && (
        <Ways aria-label="Report sections">
          <ul>
            {sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#report-${id}`}>{title}</a>
              </li>
            ))}
            {recommendations.length > 0 && (
              <li>
                <a href={`#${nextId}`}>Recommendations</a>
              </li>
            )}
          </ul>
        </Ways>
      )}
      {sections.map((section) => (
        <Section
          key={section.id}
          section={section}
          month={month}
          place={{ client: report.clientOrganizationID, timeframe: month.value, isComplete: report.isComplete, may }}
        />
      ))}
      {recommendations.length > 0 && (
        <div id={nextId}>
          <Card title="Recommendations">
            <Next>
              {recommendations.map(({ text, why }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: recommendations of one unchanging report.
                <li key={at}>
                  <VisibleText text={text} />
                  <span>
                    <VisibleText text={why} />
                  </span>
                </li>
              ))}
            </Next>
          </Card>
        </div>
      )}
    </Whole>
  );
}
