/** A lazy part with a place on the page: its failure stands there, with Retry. */
import type { FunctionComponent } from 'react';
import { type FailedPartProps, lazyPart } from './lazyPart.tsx';
import { FailedState } from './States.tsx';

/** @param what The part as it stands within a sentence: "the timeline". */
export const lazyPanel = <P extends object>(what: string, load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> =>
  lazyPart<P>(load, (failed) => <FailedPanel what={what} {...failed} />);

export function FailedPanel({ what, error, isRepeated, onRetry }: FailedPartProps<object> & { what: string }) {
  // A removed file comes only with the new page; the browser warns of unsaved input.
  return isRepeated && error.isReachable ? (
    <FailedState what={what} error={error} retryText="Reload page" onRetry={() => location.reload()} />
  ) : (
    <FailedState what={what} error={error} onRetry={onRetry} />
  );
}
