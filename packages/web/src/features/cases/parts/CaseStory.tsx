/** The story of a case: one paragraph, each clause linked to its source. */
import { styled } from '@mui/material/styles';
import type { CaseDetail, StoryClause } from '@parapet/contract/caseDetail.ts';
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

export function StoryParagraph({ detail, isSmall = false }: { detail: CaseDetail; isSmall?: boolean }) {
  return (
    <Paragraph data-small={isSmall || undefined}>
      {detail.story.clauses.map((clause, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the clauses of one story never change their order, and may repeat.
        <span key={index} data-part={clause.part}>
          <AppLink href={sourceOf(clause, detail)}>
            <VisibleText text={clause.text} />
          </AppLink>{' '}
        </span>
      ))}
    </Paragraph>
  );
}
