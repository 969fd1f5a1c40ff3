/** The rules of a new password, ticked during typing. */
import { styled } from '@mui/material/styles';
import { requirements, tooCommonText } from '@parapet/contract/rules/password.ts';
import { CheckCircleRounded } from '../kit/icons/CheckCircleRounded.tsx';
import { ErrorRounded } from '../kit/icons/ErrorRounded.tsx';
import { RadioButtonUncheckedRounded } from '../kit/icons/RadioButtonUncheckedRounded.tsx';
import { palette } from '../kit/palette.ts';

const List = styled('ul')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))',
  gap: '4px 16px',
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  '& li': { display: 'flex', alignItems: 'center', gap: 6 },
  '& li.met': { color: palette.text.primary },
  '& svg': { fontSize: 16, flex: 'none' },
});

interface Props {
  password: string;
  id?: string;
  /** The server’s refusal of this password. */
  refusal?: string | undefined;
}

export function PasswordRules({ password, id, refusal }: Props) {
  return (
    <List id={id} aria-label="The password needs">
      {requirements.map(({ text, isMet }) => (
        <Rule key={text} state={isMet(password) ? 'met' : 'missing'} text={text} />
      ))}
      {refusal?.includes(tooCommonText) ? (
        <Rule state="refused" text="Too common" />
      ) : (
        <Rule state="missing" text="Not common, checked when you save" />
      )}
    </List>
  );
}

function Rule({ state, text }: { state: 'met' | 'missing' | 'refused'; text: string }) {
  return (
    <li className={state === 'missing' ? undefined : 'met'}>
      {state === 'met' && <CheckCircleRounded color="success" titleAccess="Met:" />}
      {state === 'missing' && <RadioButtonUncheckedRounded titleAccess="Missing:" />}
      {state === 'refused' && <ErrorRounded color="error" titleAccess="Refused:" />}
      {text}
    </li>
  );
}
