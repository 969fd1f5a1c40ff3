/** A number, abbreviated. The exact one stands in a tooltip: on hover, and below it while the link, button or cell around it has the focus. */
import { abbreviate, exact } from './numbers.ts';

/** `isAtLeast`: counting stopped at this bound, so it is written "10,000+". */
export function Count({ value, isAtLeast = false }: { value: number; isAtLeast?: boolean }) {
  const plus = isAtLeast ? '+' : '';
  const short = abbreviate(value) + plus;
  const whole = exact(value) + plus;
  return short === whole ? (
    <span className="digits">{short}</span>
  ) : (
    <span className="digits" title={whole} data-exact={whole}>
      {short}
    </span>
  );
}
