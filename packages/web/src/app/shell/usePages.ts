/** The pages that this user can star and search. */
import { useMemo } from 'react';
import { useBrand } from '../../lib/brand.ts';
import { useScope } from '../../lib/scope.ts';
import { type Page, pagesFor } from './navigation.ts';

export function usePages(): readonly Page[] {
  const { who } = useScope();
  const brand = useBrand();
  return useMemo(() => pagesFor(who, brand, location.hostname), [who, brand]);
}
