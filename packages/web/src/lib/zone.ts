/** The browser's time zone: the viewer's, unless the settings name another. */
export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
