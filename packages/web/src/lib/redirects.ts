/** The path that a guest wanted to go to, remembered until the sign-in (spec §4). */
import { safePath } from '@parapet/contract/rules/safePath.ts';

/** For this tab only, so that a reload of the sign-in page keeps it. */
const redirectKey = 'redirect_url';

interface Memory {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

export function createRedirectMemory(memory: () => Memory) {
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  return {
    remember(path: string) {
      if (safePath(path)) attempt(() => memory().setItem(redirectKey, path));
    },
    peek: (): string | undefined => safePath(attempt(() => memory().getItem(redirectKey)) ?? undefined),
    /** Once: the next sign-in starts at the dashboard again. */
    take(): string | undefined {
      const path = attempt(() => memory().getItem(redirectKey)) ?? undefined;
      attempt(() => memory().removeItem(redirectKey));
      return safePath(path);
    },
    forget: () => void attempt(() => memory().removeItem(redirectKey)),
  };
}

export const redirects = createRedirectMemory(() => sessionStorage);
