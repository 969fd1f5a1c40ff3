/** A short list of alerts, each a link to its page. */
import { styled } from '@mui/material/styles';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityIcon, severityWord } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';

const List = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    listStyle: 'none',
    margin: 0,
    padding: 0,
    '& li': { borderTop: `1px solid ${palette.divider}` },
    '& a': {
      display: 'grid',
      gridTemplateColumns: '16px minmax(0, 1fr) auto',
      gap: '0 10px',
      alignItems: 'center',
      padding: '7px 16px',
      color: 'inherit',
      textDecoration: 'none',
    },
    '& a:hover': { backgroundColor: palette.action.hover },
    '& a:focus-visible': { outlineOffset: -2 },
    '& .what, & .where': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    '& .what': { fontSize: 14, lineHeight: '20px', fontWeight: 500 },
    '& .where': { gridColumn: 2, fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
    '& time': { fontSize: 12, color: palette.text.secondary, fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
    '& .count': {
      justifySelf: 'end',
      fontSize: 12,
      lineHeight: '16px',
      color: palette.text.secondary,
      fontVariantNumeric: 'tabular-nums',
    },
  };
});

interface Props {
  alerts: readonly AlertRow[];
  timeZone: string;
  /** Whether each says its client. */
  hasClients: boolean;
}

export function AlertLines({ alerts, timeZone, hasClients }: Props) {
  return (
    <List>
      {alerts.map((alert) => (
        <li key={alert.id}>
          <AppLink href={paths.alert(alert.id)} title={visibleText(alert.alertSummary)}>
            <span
              role="img"
              aria-label={severityWord[alert.severity]}
              title={severityWord[alert.severity]}
              style={{ display: 'flex' }}
            >
              <SeverityIcon severity={alert.severity} />
            </span>
            <span className="what">
              <VisibleText text={alert.rule} />
            </span>
            <RelativeTime at={alert.createdTime} timeZone={timeZone} />
            <span className="where">
              <VisibleText
                text={
                  [alert.deviceName, alert.userName, hasClients && alert.clientOrganizationName].filter(Boolean).join(' · ') ||
                  alert.alertSummary
                }
              />
            </span>
            {alert.count > 1 && (
              <span className="count" title={`Raised ${alert.count} times`}>
                ×{alert.count}
              </span>
            )}
          </AppLink>
        </li>
      ))}
    </List>
  );
}
