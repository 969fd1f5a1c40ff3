/** One setting of a configuration. Keeps the typed text as is, and writes its value to the configuration immediately. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import type { Field } from '../forms.ts';

interface Props {
  field: Field;
  value: unknown;
  /** Undefined where the text omits it. */
  onChange: (value: unknown) => void;
  /** Validation error. */
  fault: string | undefined;
}

const isNothing = (value: unknown) => value === undefined || value === null;
const listOf = (value: unknown): string[] => (isNothing(value) ? [] : [value].flat().map(String));

function shownOf({ kind }: Field, value: unknown): string {
  if (kind === 'lines') return listOf(value).join('\n');
  if (kind === 'numbers') return listOf(value).join(', ');
  return isNothing(value) ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Value of the typed text. */
function meantBy({ kind }: Field, typed: string): unknown {
  if (kind === 'block') return typed === '' ? undefined : typed;
  if (kind === 'lines') {
    const lines = typed.split('\n').map((line) => line.trim());
    return lines.some(Boolean) ? lines.filter(Boolean) : undefined;
  }
  const text = typed.trim();
  if (text === '') return undefined;
  const numberOr = (part: string) => (/^\d{1,15}$/.test(part) ? Number(part) : part);
  if (kind === 'numbers')
    return text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(numberOr);
  return kind === 'number' ? numberOr(text) : text;
}

export function ConfigField(props: Props) {
  const { field, value, onChange, fault } = props;
  const id = useId();
  if (field.kind === 'flag')
    return (
      // The main switch comes first.
      <div className={field.isOnByItself ? 'is-wide' : ''}>
        <FormControlLabel
          label={field.label}
          control={
            <Checkbox
              size="small"
              checked={isNothing(value) ? field.isOnByItself === true : value === true}
              onChange={(event) => onChange(event.target.checked)}
            />
          }
        />
        {(fault ?? field.hint) && <FormHelperText error={fault !== undefined}>{fault ?? field.hint}</FormHelperText>}
      </div>
    );
  if (field.kind === 'choices') {
    const chosen = listOf(value);
    return (
      <div className="is-wide">
        <FormLabel id={id} sx={{ fontSize: 13 }}>
          {field.label}
        </FormLabel>
        <FormGroup row aria-labelledby={id} role="group">
          {field.choices?.map((each) => (
            <FormControlLabel
              key={each}
              label={each}
              control={
                <Checkbox
                  size="small"
                  checked={chosen.includes(each)}
                  onChange={(event) =>
                    onChange(
                      (field.choices ?? []).filter((other) => (other === each ? event.target.checked : chosen.includes(other))),
                    )
                  }
                />
              }
            />
          ))}
        </FormGroup>
        {fault && <FormHelperText error>{fault}</FormHelperText>}
      </div>
    );
  }
  return <TypedField {...props} />;
}

function TypedField({ field, value, onChange, fault }: Props) {
  const [typed, setTyped] = useState<string>();
  const shown = shownOf(field, value);
  // Keeps custom values that the choices don't contain.
  const choices = field.kind === 'choice' ? [...new Set([...(field.choices ?? []), ...(shown ? [shown] : [])])] : [];
  const isLong = field.kind === 'lines' || field.kind === 'block';
  return (
    <TextField
      className={field.kind === 'block' ? 'is-wide' : ''}
      size="small"
      fullWidth
      select={field.kind === 'choice'}
      label={field.label}
      value={typed ?? shown}
      error={fault !== undefined}
      helperText={fault ?? field.hint}
      multiline={isLong}
      {...(isLong ? { minRows: field.kind === 'block' ? 6 : 2, maxRows: 18 } : {})}
      onChange={(event) => {
        const next = event.target.value;
        if (field.kind !== 'choice') setTyped(next);
        onChange(meantBy(field, next));
      }}
      onBlur={() => setTyped(undefined)}
      slotProps={{
        htmlInput: {
          autoComplete: 'off',
          spellCheck: false,
          maxLength: 20_000,
          ...(isLong ? { style: { fontFamily: 'var(--font-mono)', fontSize: 13 } } : {}),
        },
      }}
    >
      {field.kind === 'choice' && [
        <MenuItem key="" value="">
          Not set
        </MenuItem>,
        ...choices.map((each) => (
          <MenuItem key={each} value={each}>
            {each}
          </MenuItem>
        )),
      ]}
    </TextField>
  );
}
