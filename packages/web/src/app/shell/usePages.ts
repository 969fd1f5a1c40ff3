/** The pages that this user can star and search, with what is chosen for client and timeframe. */
import type { Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { useMemo } from 'react';
import { useBrand } from '../../lib/brand.ts';
import { useScope } from '../../lib/scope.ts';
import { type Page, pagesFor } from './navigation.ts';

export function usePages(client: number | undefined, timeframe: Timeframe | undefined): readonly Page[] {
  const { who } = useScope();
  const brand = useBrand();
  return useMemo(
    () => pagesFor(who, brand, location.hostname, client, timeframe ? { timeframe } : {}),
    [who, brand, client, timeframe],
  );
}
