/** Alerts of a case, paged, with responses for their device and user. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { alertsApi } from '@parapet/contract/alerts.ts';
import type { CaseAlert } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { RowsSkeleton } from '../../../kit/Skeletons.tsx';
import { StateMark } from '../../../kit/StateMark.tsx';
import { EmptyState, PageNotFound } from '../../../kit/States.tsx';
import { Pager } from '../../../kit/TablePager.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { pagingOf } from '../../../lib/paging.ts';
import { paths } from '../../../lib/paths.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { useListState } from '../../../lib/useListState.ts';
import { recount, refreshCase } from '../caseCache.ts';
import { caseAlertList, caseAlertsQuery } from '../cases.queries.ts';
import { disabledReason, failureText, toastTexts } from '../caseTexts.ts';
import { RespondButton } from '../parts/RespondButton.tsx';
import type { TabProps } from './tab.ts';

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  fontSize: 13,
  '& > li': {
    display: 'grid',
    gridTemplateColumns: '16px minmax(0, 4fr) minmax(0, 3fr) minmax(0, 3fr) 92px',
    gap: '2px 12px',
    alignItems: 'center',
    padding: '7px 16px',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& .what': { minWidth: 0 },
  '& .what a': { color: palette.text.primary, fontWeight: 500, textDecoration: 'none', overflowWrap: 'anywhere' },
  '& .what a:hover': { textDecoration: 'underline' },
  '& .muted': {
    fontSize: 12,
    lineHeight: '16px',
    color: palette.text.secondary,
    overflowWrap: 'anywhere',
    display: '-webkit-box',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: 2,
    overflow: 'hidden',
  },
  '& .target': { display: 'flex', alignItems: 'center', gap: 6, minWidth: 0 },
  '& .target > bdi': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .time': { textAlign: 'right', color: palette.text.secondary, whiteSpace: 'nowrap' },
  '& .new': { color: palette.primary.main, fontWeight: 600 },
  '@media (max-width: 899.95px)': {
    '& > li': { gridTemplateColumns: '16px minmax(0, 1fr) auto', padding: '10px 12px' },
    '& .target': { gridColumn: '2 / -1' },
    '& .target:empty': { display: 'none' },
    '& .time': { gridRow: 1, gridColumn: 3 },
  },
});
const skeleton = [
  { id: 'icon', width: 40 },
  { id: 'text', flex: 2 },
  { id: 'device', flex: 1 },
  { id: 'time', width: 90, align: 'right' as const },
];

export function AlertsTab({ detail, timeZone, respond }: TabProps) {
  const queries = useQueryClient();
  const list = useListState(caseAlertList);
  const { caseGeneralInfo: info, can } = detail;
  const { page } = list.state;
  const { data, error, refetch, isFetching } = useQuery(caseAlertsQuery(info.id, list.query));
  const noMark = disabledReason.markAlerts(can.markAlerts);

  const changed = () => {
    recount(queries);
    void refreshCase(queries, info.id);
    for (const { id } of [casesApi.alerts, alertsApi.list, alertsApi.filters]) void queries.invalidateQueries({ queryKey: [id] });
  };
  const options = {
    failure: (error: Error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: changed,
  } as const;
  const marks = {
    seen: useApiMutation(casesApi.markSeen, { ...options, success: toastTexts.seen }),
    unseen: useApiMutation(casesApi.markUnseen, { ...options, success: toastTexts.unseen }),
  };
  const isMarking = marks.seen.isPending || marks.unseen.isPending;
  const markButton = (as: 'seen' | 'unseen', text: string) => (
    <span title={noMark}>
      <Button
        size="small"
        disabled={noMark !== undefined || isMarking}
        loading={marks[as].isPending}
        onClick={() => marks[as].mutate({ body: { caseID: info.id } })}
      >
        {text}
      </Button>
    </span>
  );
  const rows = data?.alertList;
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
        <Box component="span" sx={{ fontSize: 13, color: 'text.secondary' }}>
          {counted(info.alertCount, 'alert')}
          {info.newAlerts > 0 && `, ${info.newAlerts} unseen`}
        </Box>
        <Box className="no-print" sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          {markButton('seen', 'Mark all as seen')}
          {markButton('unseen', 'Mark all as unseen')}
        </Box>
        <span style={{ flex: 1 }} />
        {can.seeInternals && <AddAlert caseID={info.id} reason={disabledReason.write(can.write)} onAdded={changed} />}
      </Box>
      {error && (
        <Box sx={{ mb: 1 }}>
          <Note
            tone="warning"
            role="alert"
            actions={
              <Button size="small" onClick={() => void refetch()}>
                Retry
              </Button>
            }
          >
            {toastTexts.alertsFailed}
          </Note>
        </Box>
      )}
      {rows === undefined ? (
        !error && <RowsSkeleton columns={skeleton} rows={8} rowHeight={52} />
      ) : rows.length === 0 ? (
        page > 1 ? (
          <PageNotFound page={page} onFirst={() => list.set({ page: 1 })} />
        ) : (
          <EmptyState title="No alerts" text="The alerts of this case are past their retention period." />
        )
      ) : (
        <>
          <List aria-label="Case alerts" aria-busy={isFetching}>
            {rows.map((alert) => (
              <One key={alert.id} alert={alert} detail={detail} timeZone={timeZone} respond={respond} />
            ))}
          </List>
          <Pager {...pagingOf(list, data?.total)} shown={rows.length} />
        </>
      )}
    </>
  );
}

function One({ alert, detail, timeZone, respond }: { alert: CaseAlert } & Pick<TabProps, 'detail' | 'timeZone' | 'respond'>) {
  return (
    <li>
      <SeverityIcon severity={alert.severity} label={severityLabel[alert.severity]} />
      <div className="what">
        <AppLink href={paths.alert(alert.id)}>
          <VisibleText text={alert.rule} />
        </AppLink>
        {alert.status === 'new' && <span className="new"> New</span>}
        <div className="muted">
          <VisibleText text={alert.alertSummary === alert.rule ? alert.joinedBy : `${alert.alertSummary} · ${alert.joinedBy}`} />
        </div>
      </div>
      <div className="target">
        {alert.deviceName && (
          <>
            <VisibleText text={alert.deviceName} />
            {alert.deviceIsolated && <StateMark state="isolated" />}
            <RespondButton
              detail={detail}
              kind="isolate"
              target={alert.deviceName}
              isDone={alert.deviceIsolated}
              respond={respond}
            />
          </>
        )}
      </div>
      <div className="target">
        {alert.userName && (
          <>
            <VisibleText text={alert.userName} />
            {alert.userDisabled && <StateMark state="disabled" />}
            <RespondButton
              detail={detail}
              kind="blockUser"
              target={alert.userName}
              isDone={alert.userDisabled}
              respond={respond}
            />
          </>
        )}
      </div>
      <div className="time">
        <RelativeTime at={alert.createdTime} timeZone={timeZone} />
      </div>
    </li>
  );
}

/** Adds an alert by its number; errors show at the field (spec §5). */
function AddAlert({ caseID, reason, onAdded }: { caseID: number; reason: string | undefined; onAdded: () => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const addAlert = useApiMutation(casesApi.addAlert, {
    success: toastTexts.case,
    failure: false,
    topic: 'case',
    onSuccess: () => {
      setText('');
      onAdded();
    },
  });
  const add = () => {
    const alertID = Number(text.trim().replace(/^#/, ''));
    if (!Number.isInteger(alertID) || alertID < 1 || alertID > maxId) return setError('Enter an alert number.');
    addAlert.mutate({ body: { caseID, alertID } }, { onError: ({ message }) => setError(message) });
  };
  return (
    <Box
      component="form"
      className="no-print"
      title={reason}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}
    >
      <TextField
        size="small"
        label="Alert number"
        value={text}
        error={error !== undefined}
        helperText={error}
        disabled={reason !== undefined}
        onChange={(event) => {
          setError(undefined);
          setText(event.target.value);
        }}
        slotProps={{ htmlInput: { maxLength: 12, inputMode: 'numeric' } }}
        sx={{ width: error ? 300 : 150 }}
      />
      <Button
        type="submit"
        size="small"
        variant="outlined"
        loading={addAlert.isPending}
        disabled={reason !== undefined || text.trim() === ''}
        sx={{ height: 40 }}
      >
        Add alert
      </Button>
    </Box>
  );
}
