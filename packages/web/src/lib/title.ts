/** The browser tab: title of page and brand, icon of the brand. */
import { useEffect } from 'react';
import { useBrand, useBrandState } from './brand.ts';

export function useTitle(page: string): void {
  const { title } = useBrand();
  useEffect(() => {
    document.title = `${page} · ${title}`;
  }, [page, title]);
}

/** The brand’s icon once it is loaded; without one the neutral icon of the page stays. */
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
