/** The path that a guest requested, remembered in this tab until the sign-in, also across a reload (spec §4). */
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { createTabMemory, type TextStorage } from './tabMemory.ts';

export function createRedirectMemory(storage?: () => TextStorage) {
  const { read, write, forget } = createTabMemory('redirect_url', storage);
  const peek = (): string | undefined => safePath(read());
  return {
    remember(path: string) {
      if (safePath(path)) write(path);
    },
    peek,
    /** Returns the path once: the next sign-in starts at the dashboard again. */
    take(): string | undefined {
      const path = peek();
      forget();
      return path;
    },
    forget,
  };
}

export const redirects = createRedirectMemory();
