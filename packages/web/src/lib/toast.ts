/**
 * Short messages about results. This is the queue; the renderer is loaded with the first message. Case and user messages stay 6000 ms at
 * the top centre, all others 2000 ms (spec §8).
 */
export type ToastVariant = 'success' | 'error' | 'warning' | 'info';
export type ToastTopic = 'case' | 'user' | 'other';

export interface Toast {
  /** Also its key: the same text is shown once. */
  text: string;
  variant: ToastVariant;
  durationMs: number;
  position: { vertical: 'top' | 'bottom'; horizontal: 'center' | 'left' };
}

/** Renderer of messages. */
export interface ToastRenderer {
  show(toast: Toast): void;
  end(text: string): void;
}

let waiting: Toast[] = [];
let renderer: ToastRenderer | undefined;
const wakers = new Set<() => void>();

export function toastOf(text: string, variant: ToastVariant, topic: ToastTopic): Toast {
  return topic === 'other'
    ? { text, variant, durationMs: 2000, position: { vertical: 'bottom', horizontal: 'left' } }
    : { text, variant, durationMs: 6000, position: { vertical: 'top', horizontal: 'center' } };
}

/** Removes a message before its time. */
type End = () => void;

function add(text: string, variant: ToastVariant, topic: ToastTopic = 'other'): End {
  const made = toastOf(text, variant, topic);
  if (renderer) renderer.show(made);
  else {
    waiting.push(made);
    for (const wake of wakers) wake();
  }
  return () => {
    waiting = waiting.filter((each) => each !== made);
    renderer?.end(text);
  };
}

/** Each returns how to remove the message once its cause has ended. */
export const toast = {
  success: (text: string, topic?: ToastTopic): End => add(text, 'success', topic),
  error: (text: string, topic?: ToastTopic): End => add(text, 'error', topic),
  warning: (text: string, topic?: ToastTopic): End => add(text, 'warning', topic),
  info: (text: string, topic?: ToastTopic): End => add(text, 'info', topic),
};

/** True when messages wait for the renderer. */
export const toastsWaiting = () => waiting.length > 0;
export function onToastWaiting(wake: () => void): () => void {
  wakers.add(wake);
  return () => wakers.delete(wake);
}
/** Connects the renderer, which receives waiting and all further messages. */
export function drawToasts(next: ToastRenderer): () => void {
  renderer = next;
  const first = waiting;
  waiting = [];
  for (const each of first) next.show(each);
  return () => {
    if (renderer === next) renderer = undefined;
  };
}
