/** A field of the sign-in form. Made of MUI's single parts: TextField would bring Select and Menu along. */
import VisibilityOffOutlined from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlined from '@mui/icons-material/VisibilityOutlined';
import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputLabel from '@mui/material/InputLabel';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';

interface Props {
  name: string;
  label: string;
  type: 'email' | 'password';
  autoComplete: string;
  autoFocus?: boolean;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onLeave: () => void;
  onAutofill: (isAutofilled: boolean) => void;
}

export function LoginField({
  name,
  label,
  type,
  autoComplete,
  autoFocus = false,
  value,
  error,
  onChange,
  onLeave,
  onAutofill,
}: Props) {
  const [isShown, setShown] = useState(false);
  return (
    <FormControl fullWidth error={error !== undefined} variant="outlined">
      <InputLabel htmlFor={`login-${name}`}>{label}</InputLabel>
      <OutlinedInput
        id={`login-${name}`}
        name={name}
        label={label}
        type={isShown ? 'text' : type}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
        onAnimationStart={(event) => {
          if (event.animationName === 'mui-auto-fill') onAutofill(true);
          if (event.animationName === 'mui-auto-fill-cancel') onAutofill(false);
        }}
        inputProps={{
          'aria-describedby': error === undefined ? undefined : `login-${name}-error`,
          spellCheck: false,
          autoCapitalize: 'none',
        }}
        endAdornment={
          type === 'password' && (
            <IconButton
              edge="end"
              size="small"
              aria-label={isShown ? 'Hide the password' : 'Show the password'}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? <VisibilityOffOutlined fontSize="small" /> : <VisibilityOutlined fontSize="small" />}
            </IconButton>
          )
        }
      />
      {error !== undefined && <FormHelperText id={`login-${name}-error`}>{error}</FormHelperText>}
    </FormControl>
  );
}
