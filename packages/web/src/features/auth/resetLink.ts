/** Validation of reset links and reset forms (spec §4, §5). */
import type { ResetForm } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { isComplex, passwordMinLength } from '@parapet/contract/rules/password.ts';
import { texts, tooShort } from '../../lib/endpointDescriptors.ts';

/** Compares instants, independent of the browser's time zone. Unparseable dates count as expired. */
export const isUsable = (form: ResetForm, token: string, nowMs: number): boolean =>
  form.token === token && Date.parse(form.expirationDate) > nowMs;

/** The link doesn't exist; other errors (busy, unreachable) are temporary. */
export const isUnknownLink = (error: unknown): boolean => error instanceof Problem && error.status < 500 && error.status !== 429;

export interface FormErrors {
  newPassword?: string;
  confirm?: string;
}

/** First validation error, or none. */
export function errorsOf(newPassword: string, confirm: string): FormErrors {
  if (!isComplex(newPassword)) return { newPassword: texts.resetComplexityText };
  if ([...confirm].length < passwordMinLength) return { confirm: tooShort(passwordMinLength) };
  if (newPassword !== confirm) return { confirm: texts.resetMismatchText };
  return {};
}
