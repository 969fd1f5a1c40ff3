import { afterAll, beforeAll } from 'vitest';

/** A fixture of one test file: made before the first test, closed after the last one. Its object is empty until then. */
export function useFixture<T extends object>(make: () => Promise<T>, close: (fixture: T) => unknown): T {
  const fixture = {} as T;
  let isMade = false;
  beforeAll(async () => {
    Object.assign(fixture, await make());
    isMade = true;
  });
  afterAll(() => (isMade ? close(fixture) : undefined));
  return fixture;
}
