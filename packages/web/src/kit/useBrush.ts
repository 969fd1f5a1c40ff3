/** Selection of several neighbouring bars: dragged, or extended with Shift and the arrow keys. */
import { type PointerEvent, type RefObject, useState } from 'react';

interface Brush {
  from: number;
  to: number;
}

export interface BrushControl {
  /** Selected bars, the first before the last. */
  selected: Brush | undefined;
  has: (index: number) => boolean;
  /** Extends the selection from a bar to the next focused one. */
  extend: (from: number, to: number) => void;
  clear: () => void;
  handlers: {
    onPointerDown: (event: PointerEvent) => void;
    onPointerMove: (event: PointerEvent) => void;
    onPointerUp: (event: PointerEvent) => void;
    onPointerCancel: () => void;
  };
}

/** `indexAt` is the bar at a client x, clamped to the bars. */
export function useBrush(
  plot: RefObject<Element | null>,
  indexAt: (x: number) => number,
  onBrush: (brush: Brush) => void,
): BrushControl {
  const [brush, setBrush] = useState<Brush & { isDragged: boolean }>();
  const [down, setDown] = useState<number>();
  const selected = brush && { from: Math.min(brush.from, brush.to), to: Math.max(brush.from, brush.to) };
  const clear = () => {
    setBrush(undefined);
    setDown(undefined);
  };
  return {
    selected,
    has: (index) => selected !== undefined && index >= selected.from && index <= selected.to,
    extend: (from, to) => setBrush({ from: brush?.from ?? from, to, isDragged: false }),
    clear,
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        setBrush(undefined);
        setDown(indexAt(event.clientX));
      },
      onPointerMove: (event) => {
        const to = indexAt(event.clientX);
        if (down === undefined || (brush === undefined && to === down)) return;
        // From here on the click belongs to the plot and picks no bar.
        plot.current?.setPointerCapture(event.pointerId);
        setBrush({ from: down, to, isDragged: true });
      },
      onPointerUp: () => {
        if (brush?.isDragged && selected) onBrush(selected);
        if (down !== undefined) clear();
      },
      onPointerCancel: clear,
    },
  };
}
