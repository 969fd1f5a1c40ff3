/** The rules of a new password, ticked during typing. */
import { styled } from '@mui/material/styles';
import { requirements } from '@parapet/contract/rules/password.ts';
import { CheckCircleRounded } from '../kit/icons/CheckCircleRounded.tsx';
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

export function PasswordRules({ password, id }: { password: string; id?: string }) {
  return (
    <List id={id} aria-label="The password needs">
      {requirements.map(({ text, isMet }) => {
        const met = isMet(password);
        return (
          <li key={text} className={met ? 'met' : undefined}>
            {met ? (
              <CheckCircleRounded color="success" titleAccess="Met:" />
            ) : (
              <RadioButtonUncheckedRounded titleAccess="Missing:" />
            )}
            {text}
          </li>
        );
      })}
    </List>
  );
}
