/** Newest other alerts of the device and of the user, with links to all of them. */
import { styled } from '@mui/material/styles';
import type { AlertDetail, AlertRow } from '@parapet/contract/alerts.ts';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { QuietLink } from './AlertFacts.tsx';

const shown = 6;

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { display: 'flex', alignItems: 'flex-start', gap: 8, padding: '6px 0', borderTop: `1px solid ${palette.divider}` },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& > li > svg': { marginTop: 3 },
  '& .title': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& .summary': {
    display: 'block',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    fontSize: 12,
    color: palette.text.secondary,
  },
  '& time': { color: palette.text.secondary, fontSize: 12, whiteSpace: 'nowrap' },
});
const All = styled('div')({ marginTop: 8, fontSize: 12 });

function Related({
  title,
  alerts,
  all,
  timeZone,
}: {
  title: string;
  alerts: readonly AlertRow[];
  all: string;
  timeZone: string;
}) {
  return (
    <Section title={title}>
      <List>
        {alerts.slice(0, shown).map((alert) => (
          <li key={alert.id}>
            <SeverityIcon severity={alert.severity} label={severityLabel[alert.severity]} />
            <span className="title">
              <TitleLink href={paths.alert(alert.id)}>
                <VisibleText text={alert.rule} />
              </TitleLink>
              {alert.alertSummary !== alert.rule && (
                <span className="summary">
                  <VisibleText text={alert.alertSummary} />
                </span>
              )}
            </span>
            <RelativeTime at={alert.createdTime} timeZone={timeZone} />
          </li>
        ))}
      </List>
      <All>
        <QuietLink href={all}>View all</QuietLink>
      </All>
    </Section>
  );
}

interface Props {
  alert: AlertDetail;
  timeZone: string;
  listOf: (query: Record<string, string>) => string;
}

export function RelatedAlerts({ alert, timeZone, listOf }: Props) {
  const { device, user } = alert.related;
  return (
    <>
      {alert.deviceName && device.length > 0 && (
        <Related title="Also on this device" alerts={device} all={listOf({ device: alert.deviceName })} timeZone={timeZone} />
      )}
      {alert.userName && user.length > 0 && (
        <Related title="Also by this user" alerts={user} all={listOf({ user: alert.userName })} timeZone={timeZone} />
      )}
    </>
  );
}
