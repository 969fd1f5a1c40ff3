/** Findings of `npm run doctor`, and their lines. */

export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  level: Level;
  check: string;
  /** Observation; for a warning or a problem also the remedy. */
  text: string;
}

const finding =
  (level: Level) =>
  (check: string, text: string): Finding => ({ level, check, text });

export const ok = finding('ok');
export const warning = finding('warning');
export const problem = finding('problem');

export const problemsOf = (findings: readonly Finding[]): Finding[] => findings.filter(({ level }) => level === 'problem');

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Texts of other servers may carry them. */
const controls = /[\u0000-\u001f\u007f-\u009f]+/g;

/** One line per finding, and the totals. */
export function linesOf(findings: readonly Finding[]): string[] {
  const count = (level: Level) => findings.filter((each) => each.level === level).length;
  return [
    ...findings.map(
      ({ level, check, text }) => `${level.padEnd(8)} ${`${check}: ${text}`.replace(controls, ' ').slice(0, 1000)}`,
    ),
    `${counted(findings.length, 'check')}: ${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${counted(count('problem'), 'problem')}.`,
  ];
}

/** Text of an error without addresses that carry passwords. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = message || code || String(error);
  return text.replace(/\b([a-z]+:\/\/)[^\s/@]*@/gi, '$1').slice(0, 300);
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `12.3 GiB`. */
export function sizeOf(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** `3 days`, `5 hours`, `12 minutes`. */
export function spanOf(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return counted(minutes, 'minute');
  if (minutes < 48 * 60) return counted(Math.round(minutes / 60), 'hour');
  return counted(Math.round(minutes / 1440), 'day');
}
