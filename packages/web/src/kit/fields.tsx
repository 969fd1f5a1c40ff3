/** Form fields with their errors beneath. Used inside a `Form`, which makes them read-only. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { useController } from 'react-hook-form';
import { VisibilityOffOutlined } from './icons/VisibilityOffOutlined.tsx';
import { VisibilityOutlined } from './icons/VisibilityOutlined.tsx';

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
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'password';
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

export function TextInput({ name, label, hint, type = 'text', lines, isWide, ...more }: TextProps) {
  const { field, text, isReadOnly } = useField(name, more.isReadOnly);
  const [isShown, setShown] = useState(false);
  const { ref, value, onChange, ...handlers } = field;
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

export function SelectInput({ name, label, hint, choices, isWide, ...more }: FieldProps & { choices: readonly Choice[] }) {
  const { field, text, isReadOnly } = useField(name, more.isReadOnly);
  const { ref, value, ...handlers } = field;
  const isKnown = choices.some((choice) => choice.value === value);
  return (
    <TextField
      {...handlers}
      inputRef={ref}
      className={isWide ? 'is-wide' : ''}
      select
      size="small"
      fullWidth
      label={label}
      value={isKnown ? value : ''}
      required={more.isRequired ?? false}
      disabled={isReadOnly}
      error={text !== undefined}
      helperText={text ?? hint}
      slotProps={{
        htmlInput: { required: false },
        // Readable although disabled: it explains why.
        formHelperText: { sx: { '&.Mui-disabled': { color: 'text.secondary' } } },
      }}
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
  const said = text ?? hint;
  return (
    <div className={isWide ? 'is-wide' : ''}>
      <FormControlLabel
        label={label}
        control={
          <Checkbox
            {...handlers}
            size="small"
            checked={value === true}
            disabled={isReadOnly}
            slotProps={{ input: { ref, 'aria-describedby': said ? `${name}-said` : undefined } }}
          />
        }
      />
      {said && (
        <FormHelperText id={`${name}-said`} error={text !== undefined} sx={{ mt: -0.5, ml: 3.75 }}>
          {said}
        </FormHelperText>
      )}
    </div>
  );
}
