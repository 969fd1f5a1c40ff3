/** Form validation by the contract's schemas, with the server's messages. */
import { type FieldErrors, type FieldValues, get, type Resolver, set } from 'react-hook-form';

interface Issue {
  code?: string | undefined;
  path: PropertyKey[];
  message: string;
  maximum?: number | bigint | undefined;
}
/** Anything that checks like a zod schema. */
export interface Checks<Out> {
  safeParse(value: unknown): { success: true; data: Out } | { success: false; error: { issues: readonly Issue[] } };
}

export const requiredText = 'Please fill in this field.';

/** A schema's own words stay; the library's words for what is missing or too long are put into people's. */
export function textOf(issue: Issue, value: unknown): string {
  const isOwn = !/^(Too |Invalid input|This must be a whole number)/.test(issue.message);
  if (isOwn) return issue.message;
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return requiredText;
  if (issue.code === 'too_big' && typeof value === 'string') return `Write at most ${issue.maximum} characters.`;
  if (issue.code === 'too_big' && typeof value === 'number') return `Choose at most ${issue.maximum}.`;
  return issue.message.startsWith('Invalid input') ? 'This is not valid.' : issue.message;
}

/** `further`: rules that need more than the values, as path → text. The first text of a field counts. */
export function resolverOf<Values extends FieldValues, Out>(
  schema: Checks<Out>,
  further: (values: Values) => Record<string, string | undefined> = () => ({}),
): Resolver<Values, unknown, Values> {
  return (values) => {
    const errors: FieldErrors<Values> = {};
    const report = (path: string, message: string) => {
      if (path && !get(errors, path)) set(errors, path, { type: 'invalid', message });
    };
    const checked = schema.safeParse(values);
    if (!checked.success) {
      for (const issue of checked.error.issues) {
        const path = issue.path.map(String).join('.');
        report(path, textOf(issue, get(values, path)));
      }
    }
    for (const [path, text] of Object.entries(further(values))) if (text) report(path, text);
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} };
  };
}
