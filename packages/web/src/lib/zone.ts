/** The viewer's time zone: as chosen in the settings, else the browser's. */
import { settingsStore } from './settingsStore.ts';

export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
export const viewerTimeZone = (): string => settingsStore.preferences().settings.timeZone || browserTimeZone();
