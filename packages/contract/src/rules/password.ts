/** Password rules, shared by forms and server (spec §5, §9). */

export const passwordMinLength = 12;
export const passwordMaxLength = 64;

/** At least one upper case letter, lower case letter, number and punctuation symbol; 12 to 64 characters. */
export const complexity = /^(?=.*\p{Lu})(?=.*\p{Ll})(?=.*\p{Nd})(?=.*[\p{P}\p{S}]).{12,64}$/u;

export const complexityText =
  'The password you provided does not meet our complexity requirements. Please ensure that your password is at least 12 characters long, containing at least one upper case, one lower case, one number and one symbol';

/** Refusal of a password on, or built on, lists that only the server has. */
export const tooCommonText = 'This password is too common: it, or what it is built on, is on lists of breached passwords.';

export const isComplex = (password: string): boolean => complexity.test(password);

/** Criteria of `complexity` for a form's checklist; a password that meets all of them is complex. */
export const requirements: readonly { text: string; isMet: (password: string) => boolean }[] = [
  {
    text: `${passwordMinLength} to ${passwordMaxLength} characters`,
    isMet: (password) => [...password].length >= passwordMinLength && [...password].length <= passwordMaxLength,
  },
  { text: 'One upper case letter', isMet: (password) => /\p{Lu}/u.test(password) },
  { text: 'One lower case letter', isMet: (password) => /\p{Ll}/u.test(password) },
  { text: 'One number', isMet: (password) => /\p{Nd}/u.test(password) },
  { text: 'One symbol', isMet: (password) => /[\p{P}\p{S}]/u.test(password) },
];
