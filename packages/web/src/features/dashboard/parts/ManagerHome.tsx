/**
 * Dashboard of a client’s people: are we safe, what was done, what must I do, in words and three figures; then what happened, open questions and
 * devices that do not report. The rule views of spec §2.7 follow below.
 */
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import type { ClientSummary } from '@parapet/contract/dashboard.ts';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { GppBadOutlined } from '../../../kit/icons/GppBadOutlined.tsx';
import { GppGoodOutlined } from '../../../kit/icons/GppGoodOutlined.tsx';
import { GppMaybeOutlined } from '../../../kit/icons/GppMaybeOutlined.tsx';
import { exact } from '../../../kit/numbers.ts';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SkeletonBar, TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import { type Scope, useScope } from '../../../lib/scope.ts';
import { alertsOverTimeQuery, refreshMs, summaryQuery } from '../dashboard.queries.ts';
import { doneOf, linksOf, type Safety, type Sentence, safetyOf, storyOf, timePhrase, todoOf } from '../summaryText.ts';
import { AlertsChart } from './AlertsChart.tsx';
import { Column, Grid, Halves, Spaced } from './dashboard.styles.tsx';
import { RiskGauge } from './RiskGauge.tsx';
import { RuleViews } from './RuleViews.tsx';

const Answers = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
  marginBottom: 16,
  '@media (max-width: 899.95px)': { gridTemplateColumns: 'minmax(0, 1fr)' },
});
const Answer = styled('section')({
  display: 'flex',
  flexDirection: 'column',
  gap: 8,
  minWidth: 0,
  padding: 16,
  border: `1px solid ${palette.divider}`,
  borderTopWidth: 3,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '&[data-state=safe]': { borderTopColor: palette.success.main },
  '&[data-state=watch], &[data-state=blind]': { borderTopColor: palette.warning.main },
  '&[data-state=incident]': { borderTopColor: palette.error.main },
  '& h2': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600, color: palette.text.secondary },
  '& .title': { display: 'flex', alignItems: 'center', gap: 8, margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 600 },
  '& .title svg': { fontSize: 24, flex: 'none' },
  '& .figure': {
    display: 'flex',
    alignItems: 'baseline',
    gap: 8,
    marginTop: 'auto',
    paddingTop: 8,
    fontSize: 14,
    color: palette.text.secondary,
    textDecoration: 'none',
  },
  '& .figure > b': { fontSize: 28, lineHeight: '36px', fontWeight: 650, color: palette.text.primary },
  '& .figure:hover': { textDecoration: 'underline' },
});
const Words = styled('div')({
  fontSize: 15,
  lineHeight: '22px',
  overflowWrap: 'anywhere',
  '& p, & ul': { margin: 0 },
  '& p + p': { marginTop: 6 },
  '& ul': { paddingLeft: 20 },
});
const Story = styled('ol')({
  listStyle: 'none',
  margin: 0,
  padding: '0 16px 12px',
  '& li': { display: 'grid', gridTemplateColumns: '112px minmax(0, 1fr)', gap: 8, padding: '8px 0' },
  '& li + li': { borderTop: `1px solid ${palette.divider}` },
  '& time, & .day': { color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
  '& p': { margin: 0, fontSize: 14, lineHeight: '22px', overflowWrap: 'anywhere' },
  '@media (max-width: 599.95px)': { '& li': { gridTemplateColumns: 'minmax(0, 1fr)', gap: 0 } },
});
const Items = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: '0 0 8px',
  '& li': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 12px', padding: '8px 16px', fontSize: 14 },
  '& li + li': { borderTop: `1px solid ${palette.divider}` },
  '& .what': { flex: '1 1 200px', minWidth: 0, overflowWrap: 'anywhere' },
  '& small': { display: 'block', fontSize: 12, color: palette.text.secondary },
});

const icons = {
  safe: <GppGoodOutlined aria-hidden sx={{ color: palette.success.main }} />,
  watch: <GppMaybeOutlined aria-hidden sx={{ color: palette.warning.main }} />,
  blind: <GppMaybeOutlined aria-hidden sx={{ color: palette.warning.main }} />,
  incident: <GppBadOutlined aria-hidden sx={{ color: palette.error.main }} />,
};
const typeWords = {
  server: 'Server',
  workstation: 'Workstation',
  networkDevice: 'Network device',
  productivity: 'Productivity service',
  cloudPlatform: 'Cloud platform',
  cloudApp: 'Cloud app',
};

export function ManagerHome() {
  const scope = useScope();
  const { client, timeframe, period, clientName } = scope;
  const live = { refetchInterval: refreshMs };
  const summary = useQuery({ ...summaryQuery(scope), ...live });
  const overTime = useQuery({ ...alertsOverTimeQuery(scope), ...live });
  const hrefOf = (query: Query = {}) => paths.alerts(client, { timeframe, ...(period ? { on: period } : {}), ...query });
  return (
    <>
      <PageHeader
        title="Dashboard"
        purpose={[
          `Security summary${clientName ? ` for ${clientName}` : ''}`,
          period ? periodLabel(period) : timeframeLabel(timeframe),
        ].join(' · ')}
        actions={
          <Button component={AppLink} href={paths.reporting()} variant="outlined">
            Monthly report
          </Button>
        }
      />
      <ThreeAnswers scope={scope} query={summary} />
      <Grid>
        <StoryPanel scope={scope} query={summary} />
        <Column>
          <Questions query={summary} href={linksOf(scope).questions} mayAnswer={scope.may('cases:answer')} />
          <Blind query={summary} href={linksOf(scope).blind} scope={scope} />
        </Column>
      </Grid>
      <Halves>
        <AlertsChart query={overTime} />
        <RiskGauge scope={scope} />
      </Halves>
      <Spaced>
        <RuleViews scope={scope} hrefOf={hrefOf} />
      </Spaced>
    </>
  );
}

/** Texts of cases and devices may be hostile: every part is shown with its hidden characters. */
const Prose = ({ sentence }: { sentence: Sentence }) =>
  sentence.map((part, index) =>
    typeof part === 'string' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity and never move.
      <VisibleText key={index} text={part} />
    ) : (
      <Link key={part.href} component={AppLink} href={part.href}>
        <VisibleText text={part.text} />
      </Link>
    ),
  );

interface SummaryProps {
  query: UseQueryResult<ClientSummary>;
  scope: Scope;
}

function ThreeAnswers({ scope, query }: SummaryProps) {
  const { data } = query;
  if (!data && query.error) return <FailedState what="the summary" error={query.error} onRetry={() => void query.refetch()} />;
  const links = linksOf(scope);
  const safety = data && safetyOf(data, scope);
  const todo = data && todoOf(data, scope);
  return (
    <Answers aria-busy={!data}>
      <OneAnswer question="Are we safe?" safety={safety} figure={['Open cases', data?.open, links.open]}>
        {safety?.sentences.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other identity and never move.
          <p key={index}>
            <Prose sentence={sentence} />
          </p>
        ))}
      </OneAnswer>
      <OneAnswer question="What was done?" figure={['Cases resolved', data?.resolved, links.resolved]}>
        {data &&
          doneOf(data, scope).map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other identity and never move.
            <p key={index}>
              <Prose sentence={sentence} />
            </p>
          ))}
      </OneAnswer>
      <OneAnswer question="What must I do?" figure={['Questions to you', data?.questionTotal, links.questions]}>
        {todo && (
          <ul>
            {todo.map((sentence, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other identity and never move.
              <li key={index}>
                <Prose sentence={sentence} />
              </li>
            ))}
          </ul>
        )}
      </OneAnswer>
    </Answers>
  );
}

interface OneAnswerProps {
  question: string;
  safety?: Safety | undefined;
  figure: [label: string, value: number | undefined, href: string];
  children: ReactNode;
}

function OneAnswer({ question, safety, figure: [label, value, href], children }: OneAnswerProps) {
  const id = useId();
  return (
    <Answer aria-labelledby={id} data-state={safety?.state}>
      <h2 id={id}>{question}</h2>
      {safety && (
        <p className="title">
          {icons[safety.state]}
          {safety.title}
        </p>
      )}
      <Words>{value === undefined ? <TextSkeleton lines={3} /> : children}</Words>
      <AppLink href={href} className="figure">
        <b>{value === undefined ? <SkeletonBar width={32} height={28} /> : <Count value={value} />}</b> {label}
      </AppLink>
    </Answer>
  );
}

function StoryPanel({ scope, query }: SummaryProps) {
  const lines = query.data && storyOf(query.data, scope);
  const total = query.data?.opened ?? 0;
  return (
    <Panel
      title={`What happened ${timePhrase(scope)}`}
      end={
        <Link component={AppLink} href={linksOf(scope).opened}>
          {total > 0 ? `All ${exact(total)}` : 'All'}
        </Link>
      }
    >
      <Loaded
        query={query}
        what="what happened"
        lines={5}
        isEmpty={lines?.length === 0}
        empty="No cases in this timeframe."
        next="Select a longer timeframe for earlier ones."
      >
        <Story>
          {lines?.map(({ id, day, sentence }) => (
            <li key={id}>
              <span className="day">{day}</span>
              <p>
                <Prose sentence={sentence} />
              </p>
            </li>
          ))}
        </Story>
      </Loaded>
    </Panel>
  );
}

interface ListProps {
  query: UseQueryResult<ClientSummary>;
  href: string;
}

const all = (href: string, total: number | undefined) =>
  total !== undefined &&
  total > 0 && (
    <Link component={AppLink} href={href}>
      All {exact(total)}
    </Link>
  );

function Questions({ query, href, mayAnswer }: ListProps & { mayAnswer: boolean }) {
  const { timeZone } = useScope();
  const { data } = query;
  return (
    <Panel title="Questions to you" end={all(href, data?.questionTotal)}>
      <Loaded query={query} what="questions" lines={2} isEmpty={data?.questions.length === 0} empty="No open questions.">
        <Items>
          {data?.questions.map(({ id, title, askedTime, untilTime }) => (
            <li key={id}>
              <span className="what">
                Was this expected? “<VisibleText text={title} />”
                <small>
                  Sent <RelativeTime at={askedTime} timeZone={timeZone} />
                  {untilTime !== null && (
                    <>
                      {' · '}answer <RelativeTime at={untilTime} timeZone={timeZone} />
                    </>
                  )}
                </small>
              </span>
              <Button
                component={AppLink}
                href={paths.case(id)}
                size="small"
                variant={mayAnswer ? 'contained' : 'outlined'}
                aria-label={`${mayAnswer ? 'Answer' : 'Open'}: ${title}`}
              >
                {mayAnswer ? 'Answer' : 'Open'}
              </Button>
            </li>
          ))}
        </Items>
      </Loaded>
    </Panel>
  );
}

function Blind({ query, href, scope: { client, timeZone } }: ListProps & { scope: Scope }) {
  const { data } = query;
  return (
    <Panel title="Devices not reporting" end={all(href, data && data.devices - data.reporting)}>
      <Loaded
        query={query}
        what="devices"
        lines={2}
        isEmpty={data?.blind.length === 0}
        empty={data?.devices === 0 ? 'No device is connected yet.' : 'All devices report.'}
      >
        <Items>
          {data?.blind.map(({ name, deviceType, lastEventTime }) => (
            <li key={name}>
              <span className="what">
                <Link component={AppLink} href={paths.device(client, name)}>
                  <VisibleText text={name} />
                </Link>
                <small>
                  {typeWords[deviceType]} ·{' '}
                  {lastEventTime === null ? (
                    'no event yet'
                  ) : (
                    <>
                      last seen <RelativeTime at={lastEventTime} timeZone={timeZone} />
                    </>
                  )}
                </small>
              </span>
            </li>
          ))}
        </Items>
      </Loaded>
    </Panel>
  );
}
