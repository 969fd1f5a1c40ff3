/**
 * A link inside the portal: a real anchor, so that it can be opened in a new tab, copied and reached by keyboard, which goes there
 * without loading the page anew. Takes whole addresses of `paths.ts`; fits MUI's `component`.
 */
import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react';
import { useGo } from './address.ts';

export interface AppLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  ref?: Ref<HTMLAnchorElement>;
}

export function AppLink({ href, onClick, onMouseEnter, onFocus, ...rest }: AppLinkProps) {
  const go = useGo();
  const router = useRouter();
  const preload = () => {
    const url = new URL(href, location.origin);
    // The page's code, while the pointer is still on its way.
    router.preloadRoute({ to: decodeURI(url.pathname) } as never).catch(() => {});
  };
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isOrdinary = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isOrdinary || (rest.target && rest.target !== '_self')) return;
    event.preventDefault();
    go(href);
  };
  return (
    <a
      {...rest}
      href={href}
      onClick={follow}
      onMouseEnter={(event) => {
        onMouseEnter?.(event);
        preload();
      }}
      onFocus={(event) => {
        onFocus?.(event);
        preload();
      }}
    />
  );
}
