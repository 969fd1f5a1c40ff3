/** The story of a case: one paragraph, each clause linked to its source. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { CaseDetail, StoryClause } from '@parapet/contract/caseDetail.ts';
import { Fragment, useState } from 'react';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';

const Paragraph = styled('p')({
  margin: 0,
  fontSize: 15,
  lineHeight: '26px',
  maxWidth: '84ch',
  overflowWrap: 'anywhere',
  '&[data-small]': { fontSize: 13, lineHeight: '21px' },
  '& button': { verticalAlign: 'baseline', padding: '0 6px', fontSize: 'inherit', lineHeight: 'inherit' },
  '& a': {
    color: 'inherit',
    textDecorationLine: 'underline',
    textDecorationColor: palette.divider,
    textUnderlineOffset: 4,
    '&:hover': { textDecorationColor: 'currentColor' },
  },
  '& [data-part=open]': { fontWeight: 500 },
  '@media print': { fontSize: 13, lineHeight: '20px', '& a': { textDecorationLine: 'none' } },
});

/** Steps of a longer attack fold to the first ones, so that the graph begins above the fold. */
const [maxFolded, shownFolded] = [6, 4];
const isStep = ({ part, link }: StoryClause) => part === 'attack' && link === 'alert';

/** Address of a clause’s source. */
function sourceOf({ link, linkID }: StoryClause, { caseGeneralInfo: info, can }: CaseDetail): string {
  switch (link) {
    case 'alert':
      return paths.alert(linkID ?? 0);
    case 'response':
      return paths.response(linkID ?? 0);
    case 'responses':
      return paths.responses({ client: info.clientOrganizationID, case: info.id });
    case 'verdict':
      return paths.case(info.id, { how: 'judged' });
    case 'mail':
      return paths.case(info.id, { tab: can.readMails ? 'mail' : 'timeline' });
    default:
      return paths.case(info.id, { tab: link });
  }
}

interface Props {
  detail: CaseDetail;
  isSmall?: boolean;
  /** Folds a long attack to its first steps; reach, work and open points stay. */
  isFolded?: boolean;
}

export function StoryParagraph({ detail, isSmall = false, isFolded = false }: Props) {
  const [isOpen, setOpen] = useState(!isFolded);
  const { clauses } = detail.story;
  const steps = clauses.filter(isStep);
  const hidden = isOpen || steps.length <= maxFolded ? [] : steps.slice(shownFolded);
  return (
    <Paragraph data-small={isSmall || undefined}>
      {clauses.map((clause, index) =>
        hidden.includes(clause) ? (
          clause === hidden[0] && (
            <Fragment key="fold">
              <Button size="small" className="no-print" aria-expanded={false} onClick={() => setOpen(true)}>
                {counted(hidden.length, 'more step')}
              </Button>{' '}
            </Fragment>
          )
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the clauses of one story never change their order, and may repeat.
          <span key={index} data-part={clause.part}>
            <AppLink href={sourceOf(clause, detail)}>
              <VisibleText text={clause.text} />
            </AppLink>{' '}
          </span>
        ),
      )}
    </Paragraph>
  );
}
