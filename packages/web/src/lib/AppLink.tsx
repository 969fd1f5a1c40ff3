/**
 * A link inside the portal: an anchor, so that it can be opened in a new tab, copied and reached by keyboard, which navigates without a
 * page load. Takes addresses of `paths.ts` and adds client and timeframe to them; fits MUI’s `component`.
 */
import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react';
import { useCompleteAddress, useGo } from './address.ts';

export interface AppLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  ref?: Ref<HTMLAnchorElement>;
}

export function AppLink({ href: to, onClick, onMouseEnter, onFocus, ...rest }: AppLinkProps) {
  const go = useGo();
  const href = useCompleteAddress()(to);
  const router = useRouter();
  const preload = () => {
    const url = new URL(href, location.origin);
    // Fetches the page’s code before the click.
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
