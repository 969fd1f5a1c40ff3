/** Header of the case page: number, status, criticality, score, analyst and SLA timers. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { investigationStatusName } from '@parapet/contract/rules/cases.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { ArrowBackRounded } from '../../../kit/icons/ArrowBackRounded.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { SeverityChip } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { lastCases } from '../lastCases.ts';
import { ClockMark, StatusChip } from './CaseMarks.tsx';
import { percentText } from './caseColumns.tsx';

export function BackToCases() {
  return (
    <Button
      component={AppLink}
      href={lastCases()?.address ?? paths.cases()}
      size="small"
      color="inherit"
      className="no-print"
      startIcon={<ArrowBackRounded />}
      sx={{ ml: -1, color: 'text.secondary', alignSelf: 'flex-start' }}
    >
      Cases
    </Button>
  );
}

/** Explains the two scores: a case's score has no cap, the client's total of cases has. */
export const riskNote =
  'The case’s own score has no cap. In the client’s risk score the cases together count at least 0 and at most 1,000, so that the total stays between 100 and 1,000.';

export function CaseHeader({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const { caseGeneralInfo: info, clientOrganizationDetails: client } = detail;
  const organisation = client.clientOrganization;
  return (
    <>
      <BackToCases />
      <PageHeader
        above={
          <>
            <SeverityChip severity={info.criticality} />
            <StatusChip status={info.status} />
            <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', fontSize: 13, color: 'text.secondary' }}>
              <Mono text={`#${info.incidentID}`} />
              <CopyButton text={() => location.origin + paths.case(info.id)} label="Copy link to this case" />
            </Box>
          </>
        }
        title={<VisibleText text={info.title} />}
        purpose={<VisibleText text={[organisation.name, ...info.tactics].join(' · ')} />}
      />
      {detail.isExcluded && (
        <Box sx={{ mb: 2 }}>
          <Note>All alerts of this case are suppressed. It is excluded from the risk score.</Note>
        </Box>
      )}
      <Box sx={{ mb: 2 }}>
        <Section>
          <DefinitionList
            minWidth={172}
            facts={[
              ...info.clocks.map((clock) => ({
                name: `Time to ${clock.name}`,
                value: <ClockMark clock={clock} timeZone={timeZone} />,
              })),
              { name: 'Analyst', value: <VisibleText text={info.analyst ?? 'Unassigned'} /> },
              { name: 'Investigation', value: investigationStatusName(info.investigationStatus) },
              {
                name: 'Waiting for client until',
                value: info.waitExpiration && <AbsoluteTime at={info.waitExpiration} timeZone={timeZone} />,
              },
              {
                name: 'Malicious threshold',
                value: (
                  <span title="Case score as a share of the client’s malicious threshold, capped at 100%">
                    {percentText(detail.casePercentage)}
                  </span>
                ),
              },
              {
                name: 'Score',
                value: (
                  <span title={riskNote}>
                    {info.riskScore}{' '}
                    <Box component="span" sx={{ color: 'text.secondary', fontSize: 12 }}>
                      no cap; 0–1,000 in the risk score
                    </Box>
                  </span>
                ),
              },
              {
                name: 'Alerts',
                value: (
                  <AppLink href={paths.case(info.id, { tab: 'alerts' })} style={{ color: 'inherit', textUnderlineOffset: 3 }}>
                    {exact(info.alertCount)}
                    {info.newAlerts > 0 && `, ${exact(info.newAlerts)} unseen`}
                  </AppLink>
                ),
              },
              { name: 'Opened', value: <AbsoluteTime at={info.createdTime} timeZone={timeZone} /> },
              { name: 'Closed', value: info.closedTime && <AbsoluteTime at={info.closedTime} timeZone={timeZone} /> },
            ]}
          />
        </Section>
      </Box>
    </>
  );
}
