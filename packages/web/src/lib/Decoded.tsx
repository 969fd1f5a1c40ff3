/** Decoded form of a command, script or other text, beside the original; nothing where nothing is encoded. */
import { Suspense } from 'react';
import { lazyPart } from '../kit/lazyPart.tsx';

// The decoder is loaded where texts of events are shown. Without it the original still stands there.
const DecodedText = lazyPart(
  () => import('./DecodedText.tsx').then((module) => module.DecodedText),
  () => null,
);

export function Decoded({ text }: { text: unknown }) {
  if (typeof text !== 'string' || text === '') return null;
  return (
    <Suspense fallback={null}>
      <DecodedText text={text} />
    </Suspense>
  );
}
