/** Response tasks: proposals that are sent or undone, individually or together. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { CaseDetail, CaseTask } from '@parapet/contract/caseDetail.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { duplicateTaskText, responsesApi } from '@parapet/contract/responses.ts';
import { type TaskAction, taskActions } from '@parapet/contract/rules/cases.ts';
import { targetWarning } from '@parapet/contract/rules/responseTargets.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { toast } from '../../../lib/toast.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { TargetCheck } from '../../responses/parts/TargetCheck.tsx';
import { useResponsesChanged } from '../../responses/responses.queries.ts';
import { refreshCase } from '../caseCache.ts';
import { disabledReason, failureText, toastTexts } from '../caseTexts.ts';
import type { TabProps } from './tab.ts';

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '2px 8px',
    padding: '4px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& .what': { flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' },
  '& .result': { flex: '0 1 180px', color: palette.text.secondary },
});

/** Shows a failed task as a toast; duplicates are warnings, by status or by text (spec §8). */
function showTaskError(error: Error): void {
  const isDuplicate = error instanceof Problem && (error.code === 'conflict' || error.message.includes(duplicateTaskText));
  if (isDuplicate) toast.warning(duplicateTaskText, 'case');
  else toast.error(failureText(toastTexts.tasksFailed, error), 'case');
}

/** Warning about the targets of tasks to be sent; undoing needs none. */
const warningOf = (tasks: readonly CaseTask[] | undefined): string | undefined =>
  tasks?.flatMap(({ action, target, isSent }) => (isSent ? [] : (targetWarning(action, target, []) ?? []))).join(' ') ||
  undefined;

export function TasksTab({ detail }: TabProps) {
  const changed = useResponsesChanged();
  const { caseTaskList: tasks } = detail.autonomousResponseData;
  const caseID = detail.caseGeneralInfo.id;
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [pending, setPending] = useState<readonly CaseTask[]>();
  const [isRead, setRead] = useState(false);
  const warning = warningOf(pending);
  const askFor = (tasks: readonly CaseTask[]) => {
    setRead(false);
    setPending(tasks);
  };
  const reason = disabledReason.respond(detail.can.respond);
  const manualNote = detail.isAREnabled
    ? undefined
    : 'Autonomous response is disabled for this client, so agents don’t execute these tasks. Execute them manually and confirm; a confirmed task counts as sent.';

  const execute = useApiMutation(responsesApi.executeTasks, {
    success: toastTexts.tasks,
    failure: false,
    topic: 'case',
    onSuccess: () => setChosen(new Set()),
    onSettled: () => {
      setPending(undefined);
      void changed();
    },
  });
  const run = (tasks: readonly CaseTask[]) =>
    execute.mutate(
      { body: { caseID, taskNumbers: tasks.map(({ taskNumber }) => taskNumber), acknowledgesWarning: isRead } },
      { onError: showTaskError },
    );
  const toggle = (task: CaseTask) => {
    const next = new Set(chosen);
    if (!next.delete(task.taskNumber)) next.add(task.taskNumber);
    setChosen(next);
  };
  const several = tasks.filter(({ taskNumber }) => chosen.has(taskNumber));
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {(reason ?? manualNote) && <Note>{reason ?? manualNote}</Note>}
      <Section title="Response tasks" note={counted(tasks.length, 'task')}>
        {tasks.length === 0 ? (
          <EmptyState title="No tasks yet" text="Decisioning proposes tasks for malicious artifacts. You can add others below." />
        ) : (
          <List>
            {tasks.map((task) => (
              <li key={task.taskNumber}>
                <Checkbox
                  size="small"
                  className="no-print"
                  checked={chosen.has(task.taskNumber)}
                  disabled={reason !== undefined}
                  onChange={() => toggle(task)}
                  slotProps={{ input: { 'aria-label': `Select: ${visibleText(task.task)}` } }}
                  sx={{ ml: -1 }}
                />
                <span className="what">
                  <VisibleText text={task.task} />
                  {task.device && (
                    <>
                      {' on '}
                      <VisibleText text={task.device} />
                    </>
                  )}
                </span>
                <span className="result">
                  {task.isSent ? 'Sent' : 'Not sent'}
                  {task.result && (
                    <>
                      : <VisibleText text={task.result} />
                    </>
                  )}
                </span>
                <span title={reason} className="no-print">
                  <Button
                    size="small"
                    variant="outlined"
                    disabled={reason !== undefined}
                    onClick={() => askFor([task])}
                    aria-label={visibleText(task.task)}
                  >
                    {taskActions[task.action][task.isSent ? 'undo' : 'do']}
                  </Button>
                </span>
              </li>
            ))}
          </List>
        )}
        {several.length > 0 && (
          <Button variant="contained" size="small" onClick={() => askFor(several)} sx={{ mt: 1.5 }}>
            Run {counted(several.length, 'task')}
          </Button>
        )}
      </Section>
      {detail.can.respond && <AddTask detail={detail} />}
      <ConfirmDialog
        isOpen={pending !== undefined}
        title={pending?.length === 1 ? 'Run this task?' : 'Run these tasks?'}
        isBusy={execute.isPending}
        isYesOff={warning !== undefined && !isRead}
        onNo={() => setPending(undefined)}
        onYes={() => pending && run(pending)}
      >
        <Box component="ul" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
          {pending?.map((task) => (
            <li key={task.taskNumber}>
              <VisibleText text={task.task} />
              {task.device ? (
                <>
                  {' on '}
                  <VisibleText text={task.device} />
                </>
              ) : (
                ' on all devices'
              )}
            </li>
          ))}
        </Box>
        <Box sx={{ mt: 2, '&:empty': { display: 'none' } }}>
          <TargetCheck refusal={undefined} warning={warning} isRead={isRead} onRead={setRead} />
        </Box>
      </ConfirmDialog>
    </Box>
  );
}

function AddTask({ detail }: { detail: CaseDetail }) {
  const queries = useQueryClient();
  const id = useId();
  const [action, setAction] = useState<TaskAction>('block');
  const [target, setTarget] = useState('');
  const [device, setDevice] = useState('');
  const caseID = detail.caseGeneralInfo.id;
  const { caseArtifacts } = detail.autonomousResponseData;
  const fits = caseArtifacts.filter(({ kind }) =>
    action === 'disable' ? kind === 'user' : kind !== 'user' && kind !== 'device',
  );
  const devices = caseArtifacts.filter(({ kind }) => kind === 'device');
  const add = useApiMutation(responsesApi.addTask, {
    success: toastTexts.tasks,
    failure: false,
    topic: 'case',
    onSuccess: () => {
      setTarget('');
      void refreshCase(queries, caseID);
    },
  });
  return (
    <Section title="Add task">
      <Box
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ body: { caseID, action, target: target.trim(), device } }, { onError: showTaskError });
        }}
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1 }}
      >
        <TextField
          select
          size="small"
          label="Action"
          value={action}
          onChange={(event) => {
            setAction(event.target.value as TaskAction);
            setTarget('');
          }}
          sx={{ width: 130 }}
        >
          {Object.entries(taskActions).map(([value, { do: label }]) => (
            <MenuItem key={value} value={value}>
              {label}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          size="small"
          label={action === 'disable' ? 'User' : 'Address, program or hash'}
          helperText="As shown in the case."
          value={target}
          onChange={(event) => setTarget(event.target.value)}
          slotProps={{ htmlInput: { maxLength: 255, list: id } }}
          sx={{ flex: '1 1 240px' }}
        />
        <datalist id={id}>
          {[...new Set(fits.map(({ value }) => value))].map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
        <TextField
          select
          size="small"
          label="Device"
          value={device}
          onChange={(event) => setDevice(event.target.value)}
          sx={{ width: 180 }}
        >
          <MenuItem value="">All devices</MenuItem>
          {devices.map(({ value }) => (
            <MenuItem key={value} value={value}>
              <VisibleText text={value} />
            </MenuItem>
          ))}
        </TextField>
        <Button type="submit" variant="outlined" loading={add.isPending} disabled={target.trim() === ''} sx={{ height: 40 }}>
          Add
        </Button>
      </Box>
    </Section>
  );
}
