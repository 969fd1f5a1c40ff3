/** Form fields with their errors beneath. Used inside a `Form`, which makes them read-only: text instead of a box. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import { useController } from 'react-hook-form';
import { VisibilityOffOutlined } from './icons/VisibilityOffOutlined.tsx';
import { VisibilityOutlined } from './icons/VisibilityOutlined.tsx';
import { palette } from './palette.ts';
import { VisibleText } from './VisibleText.tsx';

/** Read-only state of the surrounding form. */
export const ReadOnlyContext = createContext(false);

/** Fields in as many columns as fit. */
export const Fields = styled('div')<{ least?: number }>(({ least = 260 }) => ({
  display: 'grid',
  gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${least}px), 1fr))`,
  gap: 16,
  alignItems: 'start',
  '& > .is-wide': { gridColumn: '1 / -1' },
}));

interface FieldProps {
  name: string;
  label: string;
  /** Hint, or the reason why the field is read-only. */
  hint?: ReactNode;
  isRequired?: boolean;
  isReadOnly?: boolean;
  isWide?: boolean;
}

interface TextProps extends FieldProps {
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'password' | 'datetime-local';
  /** More than one: a box of so many lines that grows. */
  lines?: number;
  autoComplete?: string;
  maxLength?: number;
  placeholder?: string;
}

function useField(name: string, ownReadOnly: boolean | undefined) {
  const { field, fieldState } = useController({ name });
  return { field, text: fieldState.error?.message, isReadOnly: useContext(ReadOnlyContext) || ownReadOnly === true };
}

const Plain = styled('div')({
  minWidth: 0,
  '& > .label, & > .hint': { display: 'block', fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& > .value': { minHeight: 20, margin: '2px 0', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' },
});

interface PlainProps {
  label: string;
  value: string;
  hint?: ReactNode;
  isWide?: boolean;
}

/** A field that this user can’t change. */
export function PlainField({ label, value, hint, isWide = false }: PlainProps) {
  const id = useId();
  return (
    <Plain role="group" aria-labelledby={id} className={isWide ? 'is-wide' : ''}>
      <span id={id} className="label">
        {label}
      </span>
      <div className="value">{value === '' ? 'Not set' : <VisibleText text={value} />}</div>
      {hint && <span className="hint">{hint}</span>}
    </Plain>
  );
}

export function TextInput({ name, label, hint, type = 'text', lines, isWide, ...more }: TextProps) {
  const { field, text, isReadOnly } = useField(name, more.isReadOnly);
  const [isShown, setShown] = useState(false);
  const { ref, value, onChange, ...handlers } = field;
  if (isReadOnly && type !== 'password')
    return <PlainField label={label} value={String(value ?? '')} hint={hint} isWide={isWide === true} />;
  return (
    <TextField
      {...handlers}
      inputRef={ref}
      className={isWide ? 'is-wide' : ''}
      size="small"
      fullWidth
      label={label}
      value={value ?? ''}
      onChange={(event) =>
        onChange(type === 'number' ? (event.target.value === '' ? null : Number(event.target.value)) : event.target.value)
      }
      type={type === 'password' && isShown ? 'text' : type}
      required={more.isRequired ?? false}
      error={text !== undefined}
      helperText={text ?? hint}
      multiline={lines !== undefined}
      {...(lines ? { minRows: lines, maxRows: 24 } : {})}
      slotProps={{
        // Its format takes the place of the label.
        ...(type === 'datetime-local' && { inputLabel: { shrink: true } }),
        // The browser would put its own words before ours.
        htmlInput: {
          readOnly: isReadOnly,
          autoComplete: more.autoComplete ?? 'off',
          maxLength: more.maxLength,
          placeholder: more.placeholder,
          'aria-required': more.isRequired ?? false,
          required: false,
        },
        input:
          type === 'password'
            ? {
                endAdornment: (
                  <InputAdornment position="end">
                    <IconButton
                      size="small"
                      edge="end"
                      aria-label={`Show what is typed: ${label}`}
                      aria-pressed={isShown}
                      onClick={() => setShown(!isShown)}
                    >
                      {isShown ? <VisibilityOffOutlined fontSize="small" /> : <VisibilityOutlined fontSize="small" />}
                    </IconButton>
                  </InputAdornment>
                ),
              }
            : {},
      }}
    />
  );
}

export interface Choice {
  value: number | string;
  label: string;
}

interface SelectInputProps extends FieldProps {
  choices: readonly Choice[];
  /** After a choice of the user. */
  onChosen?: (value: Choice['value']) => void;
}

export function SelectInput({ name, label, hint, choices, isWide, onChosen, ...more }: SelectInputProps) {
  const { field, text, isReadOnly } = useField(name, more.isReadOnly);
  const { ref, value, ...handlers } = field;
  const known = choices.find((choice) => choice.value === value);
  if (isReadOnly) return <PlainField label={label} value={known?.label ?? ''} hint={hint} isWide={isWide === true} />;
  return (
    <TextField
      {...handlers}
      onChange={(event) => {
        handlers.onChange(event);
        onChosen?.(event.target.value);
      }}
      inputRef={ref}
      className={isWide ? 'is-wide' : ''}
      select
      size="small"
      fullWidth
      label={label}
      value={known ? value : ''}
      required={more.isRequired ?? false}
      error={text !== undefined}
      helperText={text ?? hint}
      slotProps={{ htmlInput: { required: false } }}
    >
      {choices.map((choice) => (
        <MenuItem key={choice.value} value={choice.value}>
          {choice.label}
        </MenuItem>
      ))}
    </TextField>
  );
}

export function CheckInput({ name, label, hint, isWide, ...more }: FieldProps) {
  const { field, text, isReadOnly } = useField(name, more.isReadOnly);
  const { ref, value, ...handlers } = field;
  const helper = text ?? hint;
  if (isReadOnly) return <PlainField label={label} value={value === true ? 'Yes' : 'No'} hint={hint} isWide={isWide === true} />;
  return (
    <div className={isWide ? 'is-wide' : ''}>
      <FormControlLabel
        label={label}
        control={
          <Checkbox
            {...handlers}
            size="small"
            checked={value === true}
            slotProps={{ input: { ref, 'aria-describedby': helper ? `${name}-said` : undefined } }}
          />
        }
      />
      {helper && (
        <FormHelperText id={`${name}-said`} error={text !== undefined} sx={{ mt: -0.5, ml: 3.75 }}>
          {helper}
        </FormHelperText>
      )}
    </div>
  );
}
