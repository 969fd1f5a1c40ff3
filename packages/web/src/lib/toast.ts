/**
 * Short messages about results. This is the queue; the renderer is loaded with the first message. Case and user messages stay 6000 ms at
 * the top centre, all others 2000 ms (spec §8).
 */
export type ToastVariant = 'success' | 'error' | 'warning' | 'info';
export type ToastTopic = 'case' | 'user' | 'other';

export interface Toast {
  text: string;
  variant: ToastVariant;
  durationMs: number;
  position: { vertical: 'top' | 'bottom'; horizontal: 'center' | 'left' };
}

let waiting: Toast[] = [];
let show: ((toast: Toast) => void) | undefined;
const wakers = new Set<() => void>();

export function toastOf(text: string, variant: ToastVariant, topic: ToastTopic): Toast {
  return topic === 'other'
    ? { text, variant, durationMs: 2000, position: { vertical: 'bottom', horizontal: 'left' } }
    : { text, variant, durationMs: 6000, position: { vertical: 'top', horizontal: 'center' } };
}

function add(text: string, variant: ToastVariant, topic: ToastTopic = 'other') {
  const made = toastOf(text, variant, topic);
  if (show) return show(made);
  waiting.push(made);
  for (const wake of wakers) wake();
}

export const toast = {
  success: (text: string, topic?: ToastTopic) => add(text, 'success', topic),
  error: (text: string, topic?: ToastTopic) => add(text, 'error', topic),
  warning: (text: string, topic?: ToastTopic) => add(text, 'warning', topic),
  info: (text: string, topic?: ToastTopic) => add(text, 'info', topic),
};

/** True when messages wait for the renderer. */
export const toastsWaiting = () => waiting.length > 0;
export function onToastWaiting(wake: () => void): () => void {
  wakers.add(wake);
  return () => wakers.delete(wake);
}
/** Connects the renderer, which receives waiting and all further messages. */
export function drawToasts(draw: (toast: Toast) => void): () => void {
  show = draw;
  const first = waiting;
  waiting = [];
  for (const each of first) draw(each);
  return () => {
    if (show === draw) show = undefined;
  };
}
