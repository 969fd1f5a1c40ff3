import { KeyRevokedError } from './client.ts';

export const describeError = (error: unknown): string =>
  error instanceof KeyRevokedError
    ? `The portal no longer accepts this agent’s key. ${error.message}`
    : String((error as Error).message);

/** Recent distinct errors, newest first. */
export function createTroubles(log: (text: string) => void) {
  let latest: string[] = [];
  return {
    note(text: string): void {
      // PostgreSQL rejects NUL and lone surrogates, which would fail every further check-in.
      const line = text
        .replaceAll(/[\s\0]+/g, ' ')
        .slice(0, 500)
        .toWellFormed();
      if (latest[0] !== line) log(line);
      latest = [line, ...latest.filter((other) => other !== line)].slice(0, 20);
    },
    latest: () => latest,
  };
}

export type Troubles = ReturnType<typeof createTroubles>;
