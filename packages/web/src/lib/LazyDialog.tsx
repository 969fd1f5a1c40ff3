/** A dialog whose code is fetched when it first opens. Where that fails, it closes with a message. */
import { type FunctionComponent, useEffect } from 'react';
import { type FailedPartProps, lazyPart } from '../kit/lazyPart.tsx';
import { toast } from './toast.ts';

interface DialogProps {
  onClose: () => void;
}

/** @param what The dialog as it stands within a sentence: "the search". */
export const lazyDialog = <P extends DialogProps>(
  what: string,
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> =>
  lazyPart(load, function FailedDialog({ props, error }: FailedPartProps<P>) {
    // biome-ignore lint/correctness/useExhaustiveDependencies: once per failure.
    useEffect(() => {
      toast.error(`Couldn’t load ${what}. ${error.message}`, 'case');
      props.onClose();
    }, []);
    return null;
  });
