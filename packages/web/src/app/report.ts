/** The error report for support. It contains no token and no data: addresses lose their query, which may contain names. */
import { Problem } from '@parapet/contract/problem.ts';

interface Facts {
  at: Date;
  address: string;
  version: string;
  browser: string;
}

const maxLetters = 2000;

export function reportOf(error: unknown, { at, address, version, browser }: Facts): string {
  const url = new URL(address);
  const stack = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return [
    `Time: ${at.toISOString()}`,
    `Page: ${url.origin}${url.pathname}`,
    ...(error instanceof Problem ? [`Request: ${error.requestId ?? 'not answered'} (${error.code})`] : []),
    `Version: ${version || 'unknown'}`,
    `Browser: ${browser}`,
    '',
    stack.slice(0, maxLetters),
  ].join('\n');
}
