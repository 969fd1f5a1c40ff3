/** Side panel of a review: the closed case, and the reviewer’s actions. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { ReviewRow } from '@parapet/contract/reviews.ts';
import {
  concludedInvestigations,
  decisionResultTypes,
  investigationStatusName,
  shortName,
  statusLabel,
} from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { OpenInFullRounded } from '../../../kit/icons/OpenInFullRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState, FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { paths } from '../../../lib/paths.ts';
import { reviewersQuery, useCorrectness, useDecision, useMarkIncorrect, useReviewer } from '../reviews.queries.ts';
import { NarrativeMail } from './NarrativeMail.tsx';
import { caseOf, Verdict } from './reviewColumns.tsx';

const Body = styled('div')({
  display: 'grid',
  gap: 20,
  '& > *': { minWidth: 0 },
  '& h2': { margin: 0, fontSize: 16, lineHeight: '22px', fontWeight: 600, overflowWrap: 'anywhere' },
  '& section': { display: 'grid', gap: 10, paddingTop: 16, borderTop: `1px solid ${palette.divider}` },
  '& h3': { margin: 0, fontSize: 13, fontWeight: 600 },
  '& .acts': { display: 'flex', flexWrap: 'wrap', gap: 8 },
  '& p': { margin: 0, fontSize: 13, color: palette.text.secondary },
});

interface Props extends PreviewPanel<ReviewRow> {
  timeZone: string;
  mayWrite: boolean;
  mayMail: boolean;
}

export function ReviewSidePanel({ id, row, isLoading, timeZone, mayWrite, mayMail, onClose }: Props) {
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={row ? `Review of case ${row.caseID}` : 'Review'}
      onClose={onClose}
      actions={
        row && (
          <Button
            component={AppLink}
            href={caseOf(row)}
            size="small"
            startIcon={<OpenInFullRounded sx={{ '&&': { fontSize: 16 } }} />}
          >
            Open case
          </Button>
        )
      }
    >
      {row ? (
        <Body key={row.id}>
          <h2>
            <VisibleText text={row.title} />
          </h2>
          <DefinitionList
            minWidth={150}
            facts={[
              { name: 'Review status', value: row.statusTypeName },
              { name: 'Criticality', value: <SeverityLabel severity={row.criticality} /> },
              { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
              { name: 'Case status', value: statusLabel(row.caseStatus) },
              { name: 'Closed by', value: row.closedBy && <VisibleText text={row.closedBy} /> },
              {
                name: 'Closed',
                value: row.caseClosedDate ? <AbsoluteTime at={row.caseClosedDate} timeZone={timeZone} /> : 'Reopened',
              },
              { name: 'Verdict of decisioning', value: <Verdict row={row} />, isWide: true },
            ].map((fact) => ({ ...fact, value: fact.value || null }))}
          />
          <Reviewer row={row} />
          <Decision row={row} />
          {mayWrite && <Correctness row={row} />}
          {mayWrite && <Investigation row={row} />}
          {mayMail && <NarrativeMail row={row} timeZone={timeZone} />}
        </Body>
      ) : (
        <EmptyState title="Review not on this page" text="It may be on another page, or excluded by a filter or the timeframe." />
      )}
    </SidePanel>
  );
}

function Reviewer({ row }: { row: ReviewRow }) {
  const { data, error, refetch } = useQuery(reviewersQuery());
  const change = useReviewer();
  const current = row.analystUserAccountID ?? 0;
  const isKnown = current === 0 || data?.results.some(({ id }) => id === current);
  return (
    <section>
      <TextField
        select
        size="small"
        label="Reviewer"
        value={current}
        disabled={!data || change.isPending}
        onChange={(event) => {
          const id = Number(event.target.value);
          change.mutate({ body: { caseID: row.caseID, AnalystUserAccountID: id === 0 ? null : id, ID: row.id } });
        }}
      >
        <MenuItem value={0}>Unassigned</MenuItem>
        {!isKnown && <MenuItem value={current}>{row.analystName || `User ${current}`}</MenuItem>}
        {data?.results.map(({ id, firstName, lastName }) => (
          <MenuItem key={id} value={id}>
            <VisibleText text={shortName(firstName, lastName)} />
          </MenuItem>
        ))}
      </TextField>
      {error && <FailedLine what="reviewers" error={error} onRetry={() => void refetch()} />}
    </section>
  );
}

function Decision({ row }: { row: ReviewRow }) {
  const save = useDecision();
  const [decision, setDecision] = useState(row.decisionID);
  const [notes, setNotes] = useState(row.notes);
  const isChanged = decision !== row.decisionID || notes.trim() !== row.notes;
  return (
    <section>
      <TextField
        select
        size="small"
        label="Decision"
        value={decision}
        onChange={(event) => setDecision(Number(event.target.value))}
        helperText="Malicious and Benign decisions train decisioning."
      >
        {decisionResultTypes.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      <Notes label="Notes on the decision" value={notes} onChange={setNotes} />
      <div className="acts">
        <Button
          variant="contained"
          size="small"
          disabled={!isChanged}
          loading={save.isPending}
          onClick={() => save.mutate({ body: { ID: row.id, decisionID: decision, notes: notes.trim() } })}
        >
          Save decision
        </Button>
      </div>
    </section>
  );
}

function Correctness({ row }: { row: ReviewRow }) {
  const save = useCorrectness();
  const [notes, setNotes] = useState(row.aiDecisioningNotes);
  const rate = (isCorrect: boolean) =>
    save.mutate({ body: { caseID: row.caseID, isAIDecisioningCorrect: isCorrect, notes: notes.trim() } });
  const button = (isCorrect: boolean, text: string) => (
    <Button
      size="small"
      variant={row.isAIDecisioningCorrect === isCorrect ? 'contained' : 'outlined'}
      aria-pressed={row.isAIDecisioningCorrect === isCorrect}
      disabled={save.isPending}
      onClick={() => rate(isCorrect)}
    >
      {text}
    </Button>
  );
  return (
    <section aria-label="Was decisioning correct?">
      <h3>Was decisioning correct?</h3>
      {row.verdict === null ? (
        <p>Decisioning gave no verdict on this case.</p>
      ) : (
        <>
          <Notes label="Notes on decisioning" value={notes} onChange={setNotes} />
          <div className="acts">
            {button(true, 'Correct')}
            {button(false, 'Not correct')}
          </div>
        </>
      )}
    </section>
  );
}

function Investigation({ row }: { row: ReviewRow }) {
  const mark = useMarkIncorrect();
  const [isConfirming, setConfirming] = useState(false);
  const [notes, setNotes] = useState('');
  const isConcluded = concludedInvestigations.includes(row.investigationStatus);
  return (
    <section aria-label="Investigation status">
      <h3>Investigation status: {investigationStatusName(row.investigationStatus)}</h3>
      {isConcluded ? (
        <div className="acts">
          <Button size="small" variant="outlined" onClick={() => setConfirming(true)}>
            Mark as incorrect…
          </Button>
        </div>
      ) : (
        <p>The investigation has no result yet.</p>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title="Mark the investigation as incorrect?"
        isBusy={mark.isPending}
        onNo={() => setConfirming(false)}
        onYes={() =>
          mark.mutate({ body: { caseID: row.caseID, notes: notes.trim() } }, { onSettled: () => setConfirming(false) })
        }
      >
        <span style={{ display: 'grid', gap: 16 }}>
          <span>
            “{investigationStatusName(row.investigationStatus)}” is marked as incorrect, and{' '}
            <AppLink href={paths.case(row.caseID)}>case {row.caseID}</AppLink> is reopened.
          </span>
          <Notes label="Reason" value={notes} onChange={setNotes} />
        </span>
      </ConfirmDialog>
    </section>
  );
}

function Notes({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      size="small"
      fullWidth
      multiline
      minRows={2}
      maxRows={10}
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { maxLength: 20_000 } }}
    />
  );
}
