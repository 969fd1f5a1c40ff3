/** What a failed call says about a form: texts at its fields, and the text for everything else. */
import { Problem } from '@parapet/contract/problem.ts';
import { type ToastTopic, toast } from './toast.ts';

export interface FormFault {
  /** Field → text, of fields that the form has. */
  fields: Record<string, string>;
  /** Where no field tells it. */
  text: string | undefined;
}

/** A text, and the hints beside it. */
const asSentences = (texts: readonly string[]): string =>
  [...new Set(texts)].map((text, at, all) => (at === all.length - 1 || /[.!?]$/.test(text) ? text : `${text}.`)).join(' ');

export function faultOf(error: unknown, hasField: (name: string) => boolean): FormFault {
  const fields: Record<string, string> = {};
  if (error instanceof Problem) {
    for (const [path, texts] of Object.entries(error.errors ?? {})) {
      const name = path.replace(/^body\./, '');
      if (texts.length > 0 && hasField(name)) fields[name] = asSentences(texts);
    }
  }
  const isTold = Object.keys(fields).length > 0;
  return {
    fields,
    text: isTold ? undefined : error instanceof Error ? error.message : 'It could not be saved. Please try again.',
  };
}

/** What this needs of a form. */
interface FormOf {
  getValues: () => object;
  setError: (name: never, error: { message: string }, options: { shouldFocus: boolean }) => void;
}

/** Tells a failed save once: at the fields that it is about, else as a message. */
export function showFormError(form: FormOf, error: unknown, topic?: ToastTopic): void {
  const values = form.getValues();
  const fault = faultOf(error, (name) => name.split('.')[0]! in values);
  for (const [name, message] of Object.entries(fault.fields)) form.setError(name as never, { message }, { shouldFocus: true });
  if (fault.text) toast.error(fault.text, topic);
}
