/** Checklist of best practices, each with its reason, how to verify it and its NIST control. */
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import { styled } from '@mui/material/styles';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { RadioButtonUncheckedRounded } from '../../../kit/icons/RadioButtonUncheckedRounded.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import type { Preview, RiskDetails } from '../riskDraft.ts';
import { Inside, Quiet } from './risk.styles.tsx';

const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 420px), 1fr))',
  gap: '4px 32px',
  '& .practice': { display: 'grid', gridTemplateColumns: '32px 1fr', gap: '0 4px', padding: '8px 0' },
  '& label.practice': { cursor: 'pointer' },
  '& .practice > svg': { margin: '6px', fontSize: 20, color: palette.text.secondary },
  '& b': { display: 'block', fontSize: 14, fontWeight: 600, lineHeight: '24px' },
  '& span.why': { display: 'block', fontSize: 13, color: palette.text.secondary },
  '& span.control': { display: 'block', fontSize: 12, color: palette.text.secondary, marginTop: 2 },
});

interface Props {
  practices: RiskDetails['practices'];
  preview: Preview;
  canEdit: boolean;
  isSaving: boolean;
  onCheck: (id: string, isChecked: boolean) => void;
  onUndo: () => void;
  onSave: (changes: Preview['changedPractices']) => void;
}

export function Practices({ practices, preview, canEdit, isSaving, onCheck, onUndo, onSave }: Props) {
  const changes = new Map(preview.changedPractices.map(({ id, isChecked }) => [id, isChecked]));
  const isDone = (practice: { id: string; isChecked: boolean }) => changes.get(practice.id) ?? practice.isChecked;
  const done = practices.filter(isDone).length;
  return (
    <Panel
      title="Best practices"
      end={
        <>
          {exact(done)} of {exact(practices.length)} done
        </>
      }
    >
      <Inside id="risk-practices">
        <List>
          {practices.map((practice) => (
            <li key={practice.id}>
              {canEdit ? (
                <label className="practice" htmlFor={`practice-${practice.id}`}>
                  <Checkbox
                    id={`practice-${practice.id}`}
                    size="small"
                    checked={isDone(practice)}
                    disabled={isSaving}
                    onChange={(event) => onCheck(practice.id, event.target.checked)}
                    slotProps={{ input: { 'aria-label': practice.name, 'aria-describedby': `why-${practice.id}` } }}
                    sx={{ p: '4px', alignSelf: 'start' }}
                  />
                  <Described practice={practice} />
                </label>
              ) : (
                <div className="practice">
                  {isDone(practice) ? (
                    <CheckCircleOutlineRounded titleAccess="Done" />
                  ) : (
                    <RadioButtonUncheckedRounded titleAccess="Not done" />
                  )}
                  <Described practice={practice} />
                </div>
              )}
            </li>
          ))}
        </List>
        {canEdit ? (
          <div>
            <Button
              size="small"
              variant="contained"
              loading={isSaving}
              disabled={changes.size === 0}
              onClick={() => onSave(preview.changedPractices)}
            >
              Save best practices
            </Button>
            {changes.size > 0 && (
              <Button size="small" sx={{ ml: 1 }} onClick={onUndo} disabled={isSaving}>
                Undo changes
              </Button>
            )}
          </div>
        ) : (
          <Quiet>Administrators and analysts of your partner can change what is done.</Quiet>
        )}
      </Inside>
    </Panel>
  );
}

const Described = ({ practice }: { practice: RiskDetails['practices'][number] }) => (
  <span>
    <b>{practice.name}</b>
    <span className="why" id={`why-${practice.id}`}>
      {practice.explanation}
    </span>
    <span className="control">
      NIST {practice.nistControlID} · {practice.nistControlName}
    </span>
  </span>
);
