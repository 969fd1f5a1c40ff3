/**
 * Parts of a page whose code is fetched when they are first rendered. Where that fails, only the part fails: React’s `lazy` would replace the
 * whole page by the route’s error. The import is tried again on request, when the connection is back, and when the part is rendered again.
 */
import { type FunctionComponent, lazy, useEffect, useSyncExternalStore } from 'react';
import { type CodeNotFetched, fetchCode } from './fetchCode.ts';

export interface FailedPartProps<P> {
  /** Of the part. */
  props: P;
  error: CodeNotFetched;
  /** True after a retry failed too. */
  isRepeated: boolean;
  onRetry: () => void;
}

/** Rendered within the caller’s `Suspense`; `Failed` takes the place of a part that could not be fetched. */
export function lazyPart<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  Failed: FunctionComponent<FailedPartProps<P>>,
): FunctionComponent<P> {
  const wakers = new Set<() => void>();
  let failures = 0;
  const attempt = () =>
    lazy<FunctionComponent<P>>(
      () =>
        fetchCode(load).then(
          (part) => ({ default: part }),
          (error: CodeNotFetched) => {
            failures += 1;
            const isRepeated = failures > 1;
            const inPlace = (props: P) => <Failing props={props} error={error} isRepeated={isRepeated} onRetry={retry} />;
            return { default: inPlace };
          },
        ),
      // Its type names the props in a way that a generic part can’t fulfil.
    ) as unknown as FunctionComponent<P>;
  let current = attempt();
  const retry = () => {
    current = attempt();
    for (const wake of wakers) wake();
  };
  const subscribe = (wake: () => void) => {
    wakers.add(wake);
    return () => wakers.delete(wake);
  };

  function Failing(failed: FailedPartProps<P>) {
    useEffect(() => {
      const failing = current;
      window.addEventListener('online', retry);
      return () => {
        window.removeEventListener('online', retry);
        // Not by a retry: the part was left, and is fetched again when it returns.
        if (current === failing) current = attempt();
      };
    }, []);
    return <Failed {...failed} />;
  }

  return function LazyPart(props: P) {
    const Part: FunctionComponent<P> = useSyncExternalStore(
      subscribe,
      () => current,
      () => current,
    );
    return <Part {...props} />;
  };
}
