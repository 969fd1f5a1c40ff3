/** Maps a failed call to a form: texts at its fields, and one text for the rest. */
import { Problem } from '@parapet/contract/problem.ts';
import { type ToastTopic, toast } from './toast.ts';

export interface FormFault {
  /** Field → text, for fields of the form. */
  fields: Record<string, string>;
  /** The text for errors without a field. */
  text: string | undefined;
}

/** A text with its hints. */
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
  const hasFieldErrors = Object.keys(fields).length > 0;
  return {
    fields,
    text: hasFieldErrors ? undefined : error instanceof Error ? error.message : 'Couldn’t save your changes. Try again.',
  };
}

/** The required methods of a form. */
interface FormOf {
  getValues: () => object;
  setError: (name: never, error: { message: string }, options: { shouldFocus: boolean }) => void;
}

/** Shows a failed save at the fields concerned, else as a message. */
export function showFormError(form: FormOf, error: unknown, topic?: ToastTopic): void {
  const values = form.getValues();
  const fault = faultOf(error, (name) => name.split('.')[0]! in values);
  for (const [name, message] of Object.entries(fault.fields)) form.setError(name as never, { message }, { shouldFocus: true });
  if (fault.text) toast.error(fault.text, topic);
}

/** A form’s submission that shows its failure. */
export const savingForm =
  <Args extends unknown[]>(form: FormOf, save: (...args: Args) => Promise<unknown>, topic?: ToastTopic) =>
  async (...args: Args): Promise<void> => {
    try {
      await save(...args);
    } catch (error) {
      showFormError(form, error, topic);
    }
  };
