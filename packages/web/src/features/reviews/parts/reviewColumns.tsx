/** The columns of case reviews, and the same as a card for narrow screens. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import type { ReviewRow } from '@parapet/contract/reviews.ts';
import { modelJudgement } from '@parapet/contract/rules/judgement.ts';
import { clientColumn, SecondaryText, textCell } from '../../../kit/cells.tsx';
import { CheckRounded } from '../../../kit/icons/CheckRounded.tsx';
import { CloseRounded } from '../../../kit/icons/CloseRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { VerdictMark } from '../../cases/parts/CaseMarks.tsx';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  minWidth: 0,
  '& > svg': { fontSize: 16, flex: 'none' },
});
const CaseLink = styled(AppLink)({
  color: palette.text.primary,
  fontWeight: 500,
  textDecoration: 'none',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  '&:hover': { textDecoration: 'underline' },
});

export const caseOf = (row: ReviewRow) => paths.case(row.caseID);

export function Verdict({ row, isShort = false }: { row: ReviewRow; isShort?: boolean }) {
  if (row.verdict === null) return <SecondaryText>Not judged</SecondaryText>;
  return <VerdictMark judgement={modelJudgement(row.verdict, row.confidenceScore)} isShort={isShort} />;
}

export function Correct({ isCorrect }: { isCorrect: boolean | null }) {
  if (isCorrect === null) return <SecondaryText>Not stated</SecondaryText>;
  return (
    <Line>
      {isCorrect ? <CheckRounded aria-hidden color="action" /> : <CloseRounded aria-hidden color="action" />}
      {isCorrect ? 'Yes' : 'No'}
    </Line>
  );
}

export function reviewColumns({ timeZone, hasClients }: Look): Column<ReviewRow>[] {
  return [
    { id: 'status', header: 'Review status', width: 116, isFixed: true, cell: (row) => textCell(row.statusTypeName) },
    {
      id: 'case',
      header: 'Case',
      flex: 2,
      width: 190,
      minWidth: 260,
      isFixed: true,
      cell: (row) => (
        <Line>
          <SeverityIcon severity={row.criticality} label={severityLabel[row.criticality]} />
          <CaseLink href={caseOf(row)} tabIndex={-1} title={visibleText(row.title)}>
            #{row.caseID} <VisibleText text={row.title} />
          </CaseLink>
        </Line>
      ),
    },
    ...clientColumn(hasClients, { hidePriority: 2 }),
    { id: 'verdict', header: 'Verdict', width: 156, cell: (row) => <Verdict row={row} isShort /> },
    {
      id: 'correct',
      header: 'Decisioning correct?',
      width: 146,
      hidePriority: 3,
      cell: (row) => <Correct isCorrect={row.isAIDecisioningCorrect} />,
    },
    { id: 'closedBy', header: 'Closed by', width: 120, hidePriority: 4, cell: (row) => textCell(row.closedBy) },
    {
      id: 'reviewer',
      header: 'Reviewer',
      width: 120,
      hidePriority: 1,
      cell: (row) => (row.analystName ? textCell(row.analystName) : <SecondaryText>Unassigned</SecondaryText>),
    },
    {
      id: 'closed',
      header: 'Closed',
      width: 110,
      cell: (row) => (
        <SecondaryText>
          {row.caseClosedDate ? <RelativeTime at={row.caseClosedDate} timeZone={timeZone} /> : 'Open again'}
        </SecondaryText>
      ),
    },
  ];
}

export function ReviewCard({ row, timeZone, hasClients, onPreview }: Look & { row: ReviewRow; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <Link component="button" type="button" onClick={onPreview} sx={{ textAlign: 'left', fontWeight: 600 }}>
        #{row.caseID} <VisibleText text={row.title} />
      </Link>
      {hasClients && <VisibleText text={row.clientOrganizationName} />}
      <Verdict row={row} />
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        {row.statusTypeName}
        <SecondaryText>
          {row.caseClosedDate ? <RelativeTime at={row.caseClosedDate} timeZone={timeZone} /> : 'Open again'}
        </SecondaryText>
      </span>
    </div>
  );
}
