/** A number, abbreviated, with the exact one on hover and for screen readers. */
import { styled } from '@mui/material/styles';
import { abbreviate, exact } from './numbers.ts';

const Digits = styled('span')({ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' });

/** `isAtLeast`: counting stopped at this bound, so it is written "10,000+". */
export function Count({ value, isAtLeast = false }: { value: number; isAtLeast?: boolean }) {
  const plus = isAtLeast ? '+' : '';
  const short = abbreviate(value) + plus;
  const whole = exact(value) + plus;
  return short === whole ? <Digits>{short}</Digits> : <Digits title={whole}>{short}</Digits>;
}
