/** Key facts of an alert, each linked to the matching alerts. */
import { styled } from '@mui/material/styles';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { Count } from '../../../kit/Count.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { StateMark } from '../../../kit/StateMark.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';

export const QuietLink = styled(AppLink)({
  color: palette.text.primary,
  textDecoration: 'underline',
  textDecorationColor: palette.text.secondary,
  textDecorationThickness: 1,
  textUnderlineOffset: 3,
  '&:hover': { textDecorationColor: 'currentColor' },
});
const Wrap = styled('div')({ marginBottom: 24 });
const Ago = styled('span')({ color: palette.text.secondary });

interface Props {
  alert: AlertDetail;
  timeZone: string;
  listOf: (query: Record<string, string>) => string;
}

export function AlertFacts({ alert, timeZone, listOf }: Props) {
  const time = (at: string) => (
    <>
      <AbsoluteTime at={at} timeZone={timeZone} />
      {isRecent(at) && (
        <Ago>
          {' · '}
          <RelativeTime at={at} timeZone={timeZone} />
        </Ago>
      )}
    </>
  );
  return (
    <Wrap>
      <Section>
        <DefinitionList
          minWidth={210}
          facts={[
            { name: 'First seen', value: time(alert.createdTime) },
            {
              name: 'Last seen',
              value: alert.count > 1 || alert.lastSeenTime !== alert.createdTime ? time(alert.lastSeenTime) : null,
            },
            {
              name: 'Count',
              value: (
                <QuietLink href="#events" onClick={jump}>
                  <Count value={alert.count} /> {alert.count === 1 ? 'time' : 'times'}
                </QuietLink>
              ),
            },
            {
              name: 'Device',
              value: alert.deviceName && (
                <>
                  <QuietLink href={listOf({ device: alert.deviceName })}>
                    <VisibleText text={alert.deviceName} />
                  </QuietLink>
                  {alert.deviceIsolated && <StateMark state="isolated" />}
                  {alert.deviceBlocked && <StateMark state="blocked" />}
                </>
              ),
            },
            {
              name: 'User',
              value: alert.userName && (
                <>
                  <QuietLink href={listOf({ user: alert.userName })}>
                    <VisibleText text={alert.userName} />
                  </QuietLink>
                  {alert.userDisabled && <StateMark state="disabled" />}
                </>
              ),
            },
            {
              name: 'Client',
              value: (
                <QuietLink href={paths.alerts(alert.clientOrganizationID)}>
                  <VisibleText text={alert.clientOrganizationName} />
                </QuietLink>
              ),
            },
            {
              name: 'Rule',
              value: (
                <>
                  <QuietLink href={listOf({ rule: alert.ruleID })} title="All alerts of this rule">
                    <VisibleText text={alert.rule} />
                  </QuietLink>{' '}
                  <QuietLink href={paths.rule(alert.ruleID, { client: alert.clientOrganizationID })}>Open rule</QuietLink>
                </>
              ),
            },
            { name: 'Log source', value: <VisibleText text={alert.logSource} /> },
            {
              name: 'Case',
              value:
                alert.caseID === null ? (
                  alert.suppressedBy === null ? (
                    'None'
                  ) : (
                    <SuppressedBy id={alert.suppressedBy} client={alert.clientOrganizationID} />
                  )
                ) : (
                  <QuietLink href={paths.case(alert.caseID)}>Case {alert.caseID}</QuietLink>
                ),
            },
          ]}
        />
      </Section>
    </Wrap>
  );
}

/** Reason for a missing case; linked to the suppression for users who manage suppressions. */
function SuppressedBy({ id, client }: { id: number; client: number }) {
  const { may, hasSelector } = useScope();
  if (!may('suppressions:write')) return 'None (suppressed)';
  return (
    <>
      None: suppressed by{' '}
      <QuietLink href={paths.exceptions({ client: hasSelector ? client : undefined, peek: id })}>suppression {id}</QuietLink>
    </>
  );
}

/** Relative times older than a week only repeat the date. */
const isRecent = (at: string) => Math.abs(Date.now() - Date.parse(at)) < 7 * dayMs;

/** Scrolls to the events without changing the address. */
function jump(event: React.MouseEvent) {
  event.preventDefault();
  const events = document.getElementById('events');
  events?.scrollIntoView({ block: 'start' });
  events?.focus({ preventScroll: true });
}
