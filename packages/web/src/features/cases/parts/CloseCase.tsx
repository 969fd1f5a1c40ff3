/** Closes cases with a resolution. Analysts give a reason and see what is still open; people of the client state the resolution alone. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { Closing } from '@parapet/contract/caseClosing.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import {
  type CaseStatus,
  isOpenFor,
  type OpenItemKind,
  resolutions,
  type StatedResolution,
  statusLabel,
} from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import { queryOptionsOf } from '../../../lib/query.ts';
import { useScope } from '../../../lib/scope.ts';
import { responsesId } from '../caseTabs.ts';
import type { CaseLike } from '../caseTexts.ts';
import { type ClosingDraft, closingDrafts } from '../closingDrafts.ts';

type OpenItems = AnswerOf<typeof casesApi.openItems>;
type Answers = Closing['answers'];

const Items = styled('ul')({
  display: 'grid',
  gap: 12,
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 14,
  '& > li': { display: 'grid', gap: 6 },
  '& .item': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '2px 8px' },
  '& .item > svg': { flex: 'none', fontSize: 18, color: palette.warning.main },
  '& .item > a': { marginLeft: 'auto', fontSize: 13 },
});
const Question = styled('h3')({ margin: 0, fontSize: 13, fontWeight: 600 });

const itemTexts: Record<
  OpenItemKind,
  { title: (count: number) => string; link: string; at?: Query; hash?: string; question: string }
> = {
  tasks: {
    title: (count) => `${counted(count, 'task')} not sent`,
    link: 'Go to tasks',
    at: { tab: 'tasks' },
    question: 'Why not sent?',
  },
  alerts: {
    title: (count) => `${counted(count, 'alert')} not seen`,
    link: 'Go to alerts',
    at: { tab: 'alerts' },
    question: 'Why not seen?',
  },
  containment: {
    title: () => 'No verified containment',
    link: 'Go to response',
    hash: `#${responsesId}`,
    question: 'Why was none needed?',
  },
  question: {
    title: () => 'The client has not answered',
    link: 'Go to emails',
    at: { tab: 'mail' },
    question: 'Why not wait for the answer?',
  },
};

interface ClosingDialogProps {
  title: string;
  /** Effect on the cases. */
  children: ReactNode;
  /** Of one case; undefined for several. */
  caseId?: number;
  onSubmit: (closing: Closing) => Promise<boolean>;
  onClose: () => void;
}

/** One case; stays open when the server refuses. */
export function CloseCase({
  of,
  to,
  ...props
}: { of: CaseLike; to: CaseStatus } & Pick<ClosingDialogProps, 'onSubmit' | 'onClose'>) {
  return (
    <ClosingDialog {...props} title={`Close case ${of.incidentID}?`} caseId={of.id}>
      “<VisibleText text={of.title} />” becomes {statusLabel(to)}, its SLA timers stop, and it goes to review.
    </ClosingDialog>
  );
}

export function ClosingDialog({ title, children, caseId, onSubmit, onClose }: ClosingDialogProps) {
  const { hasSelector: isStaff } = useScope();
  const hasItems = isStaff && caseId !== undefined;
  const open = useQuery({
    ...queryOptionsOf(casesApi.openItems, { params: { caseId: caseId ?? 1 } }),
    enabled: hasItems,
    staleTime: 0,
  });
  const [{ resolution, reason, answers }, change, drop] = useDraft(caseId);
  const [isBusy, setBusy] = useState(false);
  const items = hasItems ? (open.data?.items ?? []).filter(({ kind }) => resolution === '' || isOpenFor(kind, resolution)) : [];
  const needsAnswers = open.data?.needsAnswers === true;
  const missing =
    resolution === ''
      ? 'Select a resolution'
      : isStaff && reason.trim() === ''
        ? 'Enter a reason'
        : needsAnswers && items.some(({ kind }) => !answers[kind]?.trim())
          ? 'Do or explain each open item'
          : undefined;
  const cancel = () => {
    drop();
    onClose();
  };
  const submit = async () => {
    if (resolution === '') return;
    setBusy(true);
    const isClosed = await onSubmit({ resolution, reason, answers });
    setBusy(false);
    if (isClosed) cancel();
    else if (hasItems) void open.refetch();
  };
  return (
    <Modal
      title={title}
      onClose={isBusy ? undefined : onClose}
      sx={{ display: 'grid', gap: 2 }}
      actions={
        <>
          <Button onClick={cancel} disabled={isBusy}>
            Cancel
          </Button>
          <span title={missing}>
            <Button
              variant="contained"
              loading={isBusy}
              disabled={missing !== undefined || (hasItems && !open.data)}
              onClick={() => void submit()}
            >
              {caseId === undefined ? 'Close cases' : 'Close case'}
            </Button>
          </span>
        </>
      }
    >
      <Box sx={{ fontSize: 14, color: 'text.secondary' }}>{children}</Box>
      <ResolutionFields
        isStaff={isStaff}
        resolution={resolution}
        reason={reason}
        onResolution={(resolution) => change({ resolution })}
        onReason={(reason) => change({ reason })}
      />
      {hasItems &&
        (open.error && !open.data ? (
          <FailedLine what="open items" error={open.error} onRetry={() => void open.refetch()} />
        ) : !open.data ? (
          <TextSkeleton lines={3} />
        ) : (
          items.length > 0 && (
            <OpenItemList
              caseId={caseId}
              items={items}
              needsAnswers={needsAnswers}
              isTruePositive={resolution === 'truePositive'}
              answers={answers}
              onAnswer={(kind, text) => change({ answers: { ...answers, [kind]: text } })}
              onLeave={onClose}
            />
          )
        ))}
    </Modal>
  );
}

/** Of one case it outlives the dialog, until the case is closed or the dialog is cancelled: an open item can be done first. */
function useDraft(caseId: number | undefined) {
  const [draft, setDraft] = useState<ClosingDraft>(() =>
    caseId === undefined ? { resolution: '', reason: '', answers: {} } : closingDrafts.of(caseId),
  );
  const change = (patch: Partial<ClosingDraft>) => {
    const next = { ...draft, ...patch };
    setDraft(next);
    if (caseId !== undefined) closingDrafts.put(caseId, next);
  };
  const drop = () => {
    if (caseId !== undefined) closingDrafts.drop(caseId);
  };
  return [draft, change, drop] as const;
}

interface FieldProps {
  isStaff: boolean;
  resolution: StatedResolution | '';
  reason: string;
  onResolution: (resolution: StatedResolution) => void;
  onReason: (reason: string) => void;
}

function ResolutionFields({ isStaff, resolution, reason, onResolution, onReason }: FieldProps) {
  return (
    <>
      <TextField
        select
        required
        size="small"
        label={isStaff ? 'Resolution' : 'How was it resolved?'}
        value={resolution}
        onChange={(event) => onResolution(event.target.value as StatedResolution)}
        slotProps={{ select: { autoFocus: true } }}
      >
        {resolutions.map(({ value, label }) => (
          <MenuItem key={value} value={value}>
            {label}
          </MenuItem>
        ))}
      </TextField>
      {isStaff && (
        <TextField
          required
          size="small"
          label="Reason"
          value={reason}
          onChange={(event) => onReason(event.target.value)}
          multiline
          minRows={2}
          maxRows={8}
          helperText="Internal. Not visible to the client."
          slotProps={{ htmlInput: { maxLength: 2000 } }}
        />
      )}
    </>
  );
}

interface ItemProps {
  caseId: number;
  items: OpenItems['items'];
  needsAnswers: boolean;
  isTruePositive: boolean;
  answers: Answers;
  onAnswer: (kind: OpenItemKind, text: string) => void;
  onLeave: () => void;
}

function OpenItemList({ caseId, items, needsAnswers, isTruePositive, answers, onAnswer, onLeave }: ItemProps) {
  return (
    <section>
      <Question>Still open</Question>
      <Box sx={{ mb: 1.5, fontSize: 13, color: 'text.secondary' }}>
        {needsAnswers
          ? 'Critical and malicious cases close when each item is done, or has a reason why not.'
          : 'You can close the case and leave these open.'}
      </Box>
      <Items>
        {items.map(({ kind, count }) => {
          const { title, link, at, hash = '', question } = itemTexts[kind];
          return (
            <li key={kind}>
              <div className="item">
                <WarningAmberRounded aria-hidden />
                {title(count)}
                <AppLink href={paths.case(caseId, at) + hash} onClick={onLeave}>
                  {link}
                </AppLink>
              </div>
              {(needsAnswers || (kind === 'containment' && isTruePositive)) && (
                <TextField
                  size="small"
                  label={question}
                  required={needsAnswers}
                  value={answers[kind] ?? ''}
                  onChange={(event) => onAnswer(kind, event.target.value)}
                  multiline
                  maxRows={4}
                  slotProps={{ htmlInput: { maxLength: 2000, 'aria-label': `${title(count)}. ${question}` } }}
                />
              )}
            </li>
          );
        })}
      </Items>
    </section>
  );
}
