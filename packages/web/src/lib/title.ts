/** The browser tab: title of page and brand, icon of the brand. */
import { useEffect } from 'react';
import { useBrand, useBrandState } from './brand.ts';
import { paletteOf } from './palettes.ts';

const defaultAccent = paletteOf('light', '').accent;

export function useTitle(page: string): void {
  const { title } = useBrand();
  useEffect(() => {
    document.title = `${page} · ${title}`;
  }, [page, title]);
}

/** The brand’s icon once it is loaded; without one, its initial on its accent, as in the logo. */
export function useFavicon(): void {
  const { brand, status } = useBrandState();
  const { faviconURL, name, accentLight } = brand;
  const address = status === 'ready' ? faviconURL || initialIcon(name, accentLight) : '';
  useEffect(() => {
    if (!address) return;
    const icon = document.createElement('link');
    icon.rel = 'icon';
    icon.href = address;
    document.querySelector('link[rel="icon"]')?.replaceWith(icon);
  }, [address]);
}

const hexColor = /^#[\da-f]{6}$/i;

/** Icon with the first letter of a name, as an address. */
export function initialIcon(name: string, accent: string): string {
  const letter = /^[\p{L}\p{N}]$/u.exec([...name.trim()][0]?.toUpperCase() ?? '')?.[0] ?? '';
  const color = hexColor.test(accent) ? accent : defaultAccent;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="#fff">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
