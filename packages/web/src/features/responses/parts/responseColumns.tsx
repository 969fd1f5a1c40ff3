/** The columns of requests, and the same as a card for narrow screens. */
import type { ResponseRow } from '@parapet/contract/responseRequests.ts';
import { clientColumn, Ellipsis, SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { approvalText, responseTexts } from '../responseTexts.ts';
import { NextByItself, StateMark, ViaMark } from './ResponseMarks.tsx';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

export function responseColumns({ timeZone, hasClients }: Look): Column<ResponseRow>[] {
  return [
    {
      id: 'state',
      header: 'State',
      width: 240,
      isFixed: true,
      cell: (row) =>
        row.approvalsNeeded > 0 ? (
          <TwoLines>
            <b>
              <StateMark state={row.state} />
            </b>
            <span>{approvalText(row.approvalsNeeded)}</span>
          </TwoLines>
        ) : (
          <StateMark state={row.state} />
        ),
    },
    {
      id: 'action',
      header: 'Action',
      width: 128,
      isFixed: true,
      cell: (row) => <Ellipsis>{responseTexts(row.action).name}</Ellipsis>,
    },
    {
      id: 'target',
      header: 'Target',
      flex: 2,
      width: 160,
      isFixed: true,
      cell: (row) => (
        <TwoLines>
          <TitleLink href={paths.response(row.id)} tabIndex={-1} title={visibleText(row.target)}>
            <VisibleText text={row.target} />
          </TitleLink>
          {row.deviceName && (
            <span>
              on <VisibleText text={row.deviceName} />
            </span>
          )}
        </TwoLines>
      ),
    },
    ...clientColumn(hasClients, { width: 160, hidePriority: 3 }),
    { id: 'via', header: 'Executed by', width: 104, hidePriority: 4, cell: (row) => <ViaMark via={row.via} /> },
    {
      id: 'case',
      header: 'Case',
      width: 84,
      hidePriority: 2,
      cell: (row) =>
        row.caseID === null ? null : (
          <AppLink href={paths.case(row.caseID)} tabIndex={-1}>
            #{row.caseID}
          </AppLink>
        ),
    },
    { id: 'by', header: 'Requested by', width: 128, hidePriority: 5, cell: (row) => textCell(row.requestedBy || 'The portal') },
    {
      id: 'requested',
      header: 'Requested',
      width: 112,
      hidePriority: 1,
      cell: (row) => <RelativeTime at={row.requestedTime} timeZone={timeZone} />,
    },
    {
      id: 'next',
      header: 'Next automatic step',
      width: 150,
      hidePriority: 6,
      cell: (row) => (
        <SecondaryText>
          <NextByItself row={row} timeZone={timeZone} />
        </SecondaryText>
      ),
    },
  ];
}

export function ResponseCard({ row, timeZone, hasClients }: Look & { row: ResponseRow }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <TitleLink href={paths.response(row.id)}>
        {responseTexts(row.action).name} <VisibleText text={row.target} />
      </TitleLink>
      {row.deviceName && (
        <SecondaryText>
          on <VisibleText text={row.deviceName} />
        </SecondaryText>
      )}
      {hasClients && (
        <SecondaryText>
          <VisibleText text={row.clientOrganizationName} />
        </SecondaryText>
      )}
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px' }}>
        <StateMark state={row.state} />
        <RelativeTime at={row.requestedTime} timeZone={timeZone} />
      </span>
      {row.approvalsNeeded > 0 && <SecondaryText>{approvalText(row.approvalsNeeded)}</SecondaryText>}
    </div>
  );
}
