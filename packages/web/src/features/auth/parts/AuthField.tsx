/** Field of the sign-in pages, composed of single MUI parts: TextField would load Select and Menu. */
import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputLabel from '@mui/material/InputLabel';
import OutlinedInput from '@mui/material/OutlinedInput';
import { type Ref, useId, useState } from 'react';
import { VisibilityOffOutlined } from '../../../kit/icons/VisibilityOffOutlined.tsx';
import { VisibilityOutlined } from '../../../kit/icons/VisibilityOutlined.tsx';

interface Props {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password' | 'code';
  autoComplete: string;
  autoFocus?: boolean;
  value: string;
  error: string | undefined;
  /** Input mode of a code; numeric by default. */
  inputMode?: 'numeric' | 'text';
  /** Id of the field's description. */
  help?: string;
  /** Announces the error to screen readers; off where a notification contains it too. */
  isAnnounced?: boolean;
  inputRef?: Ref<HTMLInputElement>;
  onChange: (value: string) => void;
  onLeave?: () => void;
  onAutofill?: (isAutofilled: boolean) => void;
}

export function AuthField({
  name,
  label,
  type,
  autoComplete,
  autoFocus = false,
  value,
  error,
  inputMode = 'numeric',
  help,
  isAnnounced = true,
  inputRef,
  onChange,
  onLeave,
  onAutofill,
}: Props) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const describedBy = [error !== undefined && `${id}error`, help].filter(Boolean).join(' ');
  return (
    <FormControl fullWidth error={error !== undefined} variant="outlined">
      <InputLabel htmlFor={id}>{label}</InputLabel>
      <OutlinedInput
        id={id}
        name={name}
        label={label}
        type={type === 'code' || isShown ? 'text' : type}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        value={value}
        {...(inputRef ? { inputRef } : {})}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => onLeave?.()}
        onAnimationStart={(event) => {
          if (event.animationName === 'mui-auto-fill') onAutofill?.(true);
          if (event.animationName === 'mui-auto-fill-cancel') onAutofill?.(false);
        }}
        inputProps={{
          'aria-describedby': describedBy === '' ? undefined : describedBy,
          spellCheck: false,
          autoCapitalize: type === 'text' ? undefined : 'none',
          ...(type === 'code' && { inputMode }),
        }}
        endAdornment={
          type === 'password' && (
            <IconButton
              edge="end"
              size="small"
              aria-label={isShown ? 'Hide password' : 'Show password'}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? <VisibilityOffOutlined fontSize="small" /> : <VisibilityOutlined fontSize="small" />}
            </IconButton>
          )
        }
      />
      <div {...(isAnnounced && { 'aria-live': 'polite' })}>
        {error !== undefined && <FormHelperText id={`${id}error`}>{error}</FormHelperText>}
      </div>
    </FormControl>
  );
}
