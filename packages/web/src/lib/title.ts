/** What the browser's tab shows: the page, then the brand; the brand's icon. */
import { useEffect } from 'react';
import { useBrand, useBrandState } from './brand.ts';

export function useTitle(page: string): void {
  const { title } = useBrand();
  useEffect(() => {
    document.title = `${page} · ${title}`;
  }, [page, title]);
}

/** The brand's icon, once it is known; a brand without one keeps the page's, which is nobody's. */
export function useFavicon(): void {
  const { brand, status } = useBrandState();
  const address = status === 'ready' ? brand.faviconURL : '';
  useEffect(() => {
    if (!address) return;
    const icon = document.createElement('link');
    icon.rel = 'icon';
    icon.href = address;
    document.querySelector('link[rel="icon"]')?.replaceWith(icon);
  }, [address]);
}
