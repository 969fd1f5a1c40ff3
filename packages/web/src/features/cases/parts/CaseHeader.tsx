/** Header of the case page: status, number, judgement, title and tactics. */
import Box from '@mui/material/Box';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { judgementOfDetail } from '@parapet/contract/rules/judgement.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { BackLink } from '../../../lib/BackLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { lastCases } from '../lastCases.ts';
import { JudgementLine, StatusChip } from './CaseMarks.tsx';
import { thresholdText } from './caseColumns.tsx';

export function BackToCases() {
  return (
    <BackLink href={lastCases.last()?.address ?? paths.cases()} className="no-print">
      Cases
    </BackLink>
  );
}

export function CaseHeader({ detail }: { detail: CaseDetail }) {
  const { caseGeneralInfo: info, clientOrganizationDetails: client } = detail;
  const organisation = client.clientOrganization;
  return (
    <>
      <BackToCases />
      <PageHeader
        above={
          <>
            <StatusChip status={info.status} />
            <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', fontSize: 13, color: 'text.secondary' }}>
              <Mono text={`#${info.incidentID}`} />
              <CopyButton text={() => location.origin + paths.case(info.id)} label="Copy link to this case" />
            </Box>
            <Box component="span" sx={{ fontSize: 13 }}>
              <JudgementLine judgement={judgementOfDetail(detail)} note={thresholdText(detail.casePercentage)} />
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
    </>
  );
}
