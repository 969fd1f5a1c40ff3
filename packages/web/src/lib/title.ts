/** What the browser's tab says: the page, then the brand. */
import { useEffect } from 'react';
import { useBrand } from './brand.ts';

export function useTitle(page: string): void {
  const { name } = useBrand();
  useEffect(() => {
    document.title = `${page} · ${name}`;
  }, [page, name]);
}
