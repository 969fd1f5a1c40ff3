/** What a reset form or a refused one means (spec §4, §5). */
import type { ResetForm } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { isComplex, passwordMinLength } from '@parapet/contract/rules/password.ts';
import { texts, tooShort } from '../../lib/endpointDescriptors.ts';

/** Instants are compared, whatever the browser's time zone. What cannot be read as one is over. */
export const isUsable = (form: ResetForm, token: string, nowMs: number): boolean =>
  form.token === token && Date.parse(form.expirationDate) > nowMs;

/** The server knows no such link; anything else (busy, out of reach) may pass. */
export const isUnknownLink = (error: unknown): boolean => error instanceof Problem && error.status < 500 && error.status !== 429;

export interface FormErrors {
  newPassword?: string;
  confirm?: string;
}

/** In the order in which they are told; none: it can be sent. */
export function faultsOf(newPassword: string, confirm: string): FormErrors {
  if (!isComplex(newPassword)) return { newPassword: texts.resetComplexityText };
  if ([...confirm].length < passwordMinLength) return { confirm: tooShort(passwordMinLength) };
  if (newPassword !== confirm) return { confirm: texts.resetMismatchText };
  return {};
}
