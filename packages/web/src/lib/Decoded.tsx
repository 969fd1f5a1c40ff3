/** Decoded form of a command, script or other text, beside the original; nothing where nothing is encoded. */
import { lazy, Suspense } from 'react';

// The decoder is loaded where texts of events are shown.
const DecodedText = lazy(() => import('./DecodedText.tsx').then((module) => ({ default: module.DecodedText })));

export function Decoded({ text }: { text: unknown }) {
  if (typeof text !== 'string' || text === '') return null;
  return (
    <Suspense fallback={null}>
      <DecodedText text={text} />
    </Suspense>
  );
}
