/** Renders its children after the first paint of what surrounds them. Only for content that is not first seen, in a place of fixed size. */
import { type ReactNode, useDeferredValue } from 'react';

/** False in the first rendering, which is painted before the next one begins. */
export const useIsPainted = (): boolean => useDeferredValue(true, false);

export const AfterPaint = ({ children }: { children: ReactNode }): ReactNode => useIsPainted() && children;
