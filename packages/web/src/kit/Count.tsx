/** A number, abbreviated. The exact one stands in a tooltip: on hover, and below it while the link, button or cell around it has the focus. */
import { abbreviate, exact } from './numbers.ts';

export function Count({ value }: { value: number }) {
  const [short, whole] = [abbreviate(value), exact(value)];
  return short === whole ? (
    <span className="digits">{short}</span>
  ) : (
    <span className="digits" title={whole} data-exact={whole}>
      {short}
    </span>
  );
}
