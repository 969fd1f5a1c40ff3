/** Scrolls to the top and moves the focus on a navigation to another page. Back and forward keep the browser’s position. */
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

export function usePageStart() {
  const { history } = useRouter();
  const page = useLocation({ select: (location) => location.pathname.split('/').slice(0, 3).join('/') });
  const first = useRef(page);
  const isBack = useRef(false);
  useEffect(
    () =>
      history.subscribe(({ action }) => {
        isBack.current = action.type === 'BACK' || action.type === 'FORWARD' || action.type === 'GO';
      }),
    [history],
  );
  useEffect(() => {
    if (first.current === page) return;
    first.current = page;
    if (isBack.current) return;
    window.scrollTo(0, 0);
    document.getElementById('page')?.focus({ preventScroll: true });
  }, [page]);
}
