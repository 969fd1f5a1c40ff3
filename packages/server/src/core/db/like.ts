/** Text that people look for, as a pattern for ILIKE: it stands for itself, whatever characters it has. */

/** PostgreSQL holds no NUL, so text with one is found nowhere; sent as it is, the statement would fail. */
export const storable = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed();

export const containing = (text: string): string => `%${storable(text).replace(/[\\%_]/g, '\\$&')}%`;
