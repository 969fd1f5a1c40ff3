/** Fields of a new API key: scopes and allowed addresses. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import TextField from '@mui/material/TextField';
import type { KeyScope } from '@parapet/contract/access.ts';
import { useState } from 'react';
import { useController, useFormState } from 'react-hook-form';
import { scopeLabels } from './apiKeyScopes.ts';

export function ScopesInput() {
  const { field, fieldState } = useController<{ scopes: KeyScope[] }>({ name: 'scopes' });
  const given = field.value as KeyScope[];
  const toggle = (scope: KeyScope) =>
    field.onChange(given.includes(scope) ? given.filter((one) => one !== scope) : [...given, scope]);
  return (
    <FormControl component="fieldset" className="is-wide" error={fieldState.error !== undefined}>
      <FormLabel component="legend" sx={{ fontSize: 13 }}>
        Scopes
      </FormLabel>
      {(Object.keys(scopeLabels) as KeyScope[]).map((scope) => (
        <FormControlLabel
          key={scope}
          label={
            <>
              {scopeLabels[scope].title}{' '}
              <Box component="span" sx={{ display: 'block', fontSize: 13, color: 'text.secondary' }}>
                {scopeLabels[scope].effect}
              </Box>
            </>
          }
          sx={{ alignItems: 'flex-start' }}
          slotProps={{ typography: { sx: { fontSize: 14, lineHeight: '20px', py: '9px' } } }}
          control={<Checkbox size="small" checked={given.includes(scope)} onChange={() => toggle(scope)} onBlur={field.onBlur} />}
        />
      ))}
      <FormHelperText sx={{ ml: 0 }}>{fieldState.error?.message ?? 'A key never has more rights than you.'}</FormHelperText>
    </FormControl>
  );
}

export function AddressRangesInput() {
  const { field } = useController<{ addressRanges: string[] }>({ name: 'addressRanges' });
  const { errors } = useFormState({ name: 'addressRanges' });
  const [text, setText] = useState('');
  // One error per invalid range; the first is shown.
  const all = errors.addressRanges as unknown as ({ message?: string } | undefined)[] | { message?: string } | undefined;
  const error = Array.isArray(all) ? all.find(Boolean)?.message : all?.message;
  return (
    <TextField
      className="is-wide"
      size="small"
      fullWidth
      multiline
      minRows={2}
      maxRows={8}
      label="Allowed address ranges"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        field.onChange(event.target.value.split(/[\s,;]+/).filter(Boolean));
      }}
      onBlur={field.onBlur}
      error={error !== undefined}
      helperText={error ?? 'One per line, such as 203.0.113.0/24. Empty: any address.'}
      slotProps={{ htmlInput: { spellCheck: false, autoComplete: 'off' } }}
    />
  );
}
