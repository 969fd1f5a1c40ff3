/** Radio group and checkbox with hints, for settings that apply immediately. */
import { styled } from '@mui/material/styles';
import { useId } from 'react';
import { palette } from '../../../kit/palette.ts';

const Group = styled('fieldset')({
  margin: 0,
  padding: 0,
  border: 0,
  minWidth: 0,
  '& legend': { padding: 0, marginBottom: 6, fontWeight: 600 },
  '& .choices': { display: 'flex', flexWrap: 'wrap', gap: 8 },
  '& label': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 36,
    padding: '4px 12px 4px 10px',
    border: '1px solid var(--control-border)',
    borderRadius: 8,
    cursor: 'pointer',
  },
  '& label:hover': { backgroundColor: palette.action.hover },
  '& label:has(:checked)': {
    borderColor: palette.primary.main,
    boxShadow: `inset 0 0 0 1px ${palette.primary.main}`,
    fontWeight: 600,
  },
  '& input': { width: 16, height: 16, margin: 0, flex: 'none', accentColor: palette.primary.main },
  '& .hint': { margin: '6px 0 0', fontSize: 13, color: palette.text.secondary },
});

interface Props<Value extends string> {
  legend: string;
  value: Value;
  choices: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
  hint?: string;
}

export function ChoiceGroup<Value extends string>({ legend, value, choices, onChoose, hint }: Props<Value>) {
  const id = useId();
  return (
    <Group aria-describedby={hint ? `${id}hint` : undefined}>
      <legend>{legend}</legend>
      <div className="choices">
        {choices.map(([each, label]) => (
          <label key={each}>
            <input type="radio" name={id} checked={each === value} onChange={() => onChoose(each)} />
            {label}
          </label>
        ))}
      </div>
      {hint && (
        <p className="hint" id={`${id}hint`}>
          {hint}
        </p>
      )}
    </Group>
  );
}

const Line = styled('div')({
  '& label': {
    display: 'flex',
    alignItems: 'center',
    gap: 10,
    minHeight: 28,
    width: 'fit-content',
    cursor: 'pointer',
    fontWeight: 500,
  },
  '& input': { width: 18, height: 18, margin: 0, flex: 'none', accentColor: palette.primary.main },
  '& input:disabled + span': { color: palette.text.secondary },
  '& p': { margin: '0 0 0 28px', fontSize: 13, color: palette.text.secondary },
});

interface SwitchProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  hint?: string;
  isFixed?: boolean;
}

export function OnOff({ label, isOn, onChange, hint, isFixed = false }: SwitchProps) {
  const id = useId();
  return (
    <Line>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          disabled={isFixed}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && <p id={id}>{hint}</p>}
    </Line>
  );
}
