/** Response requests of a case with their state; pending ones can be approved, confirmed or cancelled in place. */
import { styled } from '@mui/material/styles';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { useQuery } from '@tanstack/react-query';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { ResponseActions } from '../../responses/parts/ResponseActions.tsx';
import { NextByItself, StateMark, ViaMark } from '../../responses/parts/ResponseMarks.tsx';
import { pollIntervalMs, responsesOfCaseQuery } from '../../responses/responses.queries.ts';
import { approvalText, responseTexts } from '../../responses/responseTexts.ts';

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': {
    display: 'grid',
    gap: 2,
    padding: '8px 0',
    borderTop: `1px solid ${palette.divider}`,
    overflowWrap: 'anywhere',
  },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& .muted': { fontSize: 12, color: palette.text.secondary },
  '& .how': { display: 'flex', flexWrap: 'wrap', gap: '0 12px' },
});

export function ResponseLedger({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const { id, clientOrganizationID: client } = detail.caseGeneralInfo;
  const hasAny = detail.responses.length > 0;
  // The case has their states; permissions to act on them come from the response list.
  const { data, error, refetch } = useQuery({
    ...responsesOfCaseQuery(client, id),
    enabled: hasAny,
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.results),
  });
  const rows = new Map(data?.results.map((row) => [row.id, row]));
  if (!hasAny) return null;
  return (
    <>
      <List aria-label="Responses">
        {detail.responses.map((known) => {
          const row = rows.get(known.id);
          const response = row ?? known;
          return (
            <li key={known.id}>
              <AppLink href={paths.response(known.id)}>
                {responseTexts(response.action).name} <VisibleText text={response.target} />
              </AppLink>
              <span className="how">
                <StateMark state={response.state} />
                <ViaMark via={row?.via ?? (response.isManual ? 'manual' : response.isByVendor ? 'vendor' : 'agent')} />
              </span>
              <span className="muted">
                <RelativeTime at={response.changedTime} timeZone={timeZone} />, requested by{' '}
                <VisibleText text={response.requestedBy || 'the portal'} />
              </span>
              {response.detail && (
                <span className="muted">
                  <VisibleText text={response.detail} />
                </span>
              )}
              {row && (
                <>
                  <span className="muted">
                    {row.approvalsNeeded > 0 && `${approvalText(row.approvalsNeeded)}. `}
                    <NextByItself row={row} timeZone={timeZone} />
                  </span>
                  <ResponseActions row={row} />
                </>
              )}
            </li>
          );
        })}
      </List>
      {error && !data && <FailedLine what="available responses" error={error} onRetry={() => void refetch()} />}
    </>
  );
}
