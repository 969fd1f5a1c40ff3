/** First queries of the attack indicators. */
import { oneIn } from '../../lib/address.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { comparedRange, comparisons, controlsQuery, matrixQuery } from './attack.queries.ts';

export const indicators: PageLoader = ({ scope, search }) => {
  const comparison = oneIn(search.compare, comparisons, 'none');
  // Another timeframe than the preceding one ends at the moment of its first use.
  const isFixed = comparison === 'none' || comparison === 'before';
  return [
    ...(isFixed ? [matrixQuery(scope, comparedRange(comparison, scope.range, scope.timeZone))] : []),
    ...(search.tab === 'controls' ? [controlsQuery(scope)] : []),
  ];
};
