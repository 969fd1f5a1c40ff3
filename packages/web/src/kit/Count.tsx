/** A number, abbreviated. The exact one stands in a tooltip: on hover, and below it while the link, button or cell around it has the focus. */
import { styled } from '@mui/material/styles';
import { abbreviate, exact } from './numbers.ts';
import { palette } from './palette.ts';

const Digits = styled('span')({
  fontVariantNumeric: 'tabular-nums',
  whiteSpace: 'nowrap',
  'a:focus-visible &, button:focus-visible &, [tabindex]:focus-visible &': { position: 'relative' },
  'a:focus-visible &[data-exact]::after, button:focus-visible &[data-exact]::after, [tabindex]:focus-visible &[data-exact]::after':
    {
      content: 'attr(data-exact)',
      position: 'absolute',
      zIndex: 10,
      top: '100%',
      right: 0,
      padding: '1px 6px',
      fontSize: 12,
      lineHeight: '18px',
      fontWeight: 500,
      letterSpacing: 0,
      color: palette.background.paper,
      backgroundColor: palette.text.primary,
      borderRadius: 4,
    },
});

/** `isAtLeast`: counting stopped at this bound, so it is written "10,000+". */
export function Count({ value, isAtLeast = false }: { value: number; isAtLeast?: boolean }) {
  const plus = isAtLeast ? '+' : '';
  const short = abbreviate(value) + plus;
  const whole = exact(value) + plus;
  return short === whole ? (
    <Digits>{short}</Digits>
  ) : (
    <Digits title={whole} data-exact={whole}>
      {short}
    </Digits>
  );
}
