/** Sizes that a layout must know before it is painted: measured in a layout effect, so that nothing jumps. */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The element's width; undefined before it was measured. */
export function useWidth(ref: RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>();
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/**
 * Height in px from the element's top to the end of the window, so that a list scrolls inside and its header and pager stay
 * visible.
 */
export function useFillHeight(ref: RefObject<HTMLElement | null>, least: number, below = 64): number | undefined {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      const element = ref.current;
      if (!element) return;
      const top = element.getBoundingClientRect().top + scrollTopOf(element);
      setHeight(Math.max(least, Math.round(window.innerHeight - top - below)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.documentElement);
    const parent = ref.current?.parentElement;
    if (parent) observer.observe(parent);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, [ref, least, below]);
  return height;
}

/** Scroll position of the page, of whichever ancestor scrolls. */
function scrollTopOf(element: HTMLElement): number {
  let top = window.scrollY;
  for (let at = element.parentElement; at && at !== document.documentElement && at !== document.body; at = at.parentElement)
    top += at.scrollTop;
  return top;
}
