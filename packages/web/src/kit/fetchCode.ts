/** The code of a page, or of a part of one, could not be fetched. */
export class CodeNotFetched extends Error {
  /** True while the portal responds: an update removed the file, or its fetch was cut off. */
  readonly isReachable: boolean;

  constructor(isReachable: boolean, cause?: unknown) {
    super(
      isReachable
        ? 'The portal was updated, or loading was cut off.'
        : 'Couldn’t reach the portal. Check your connection and try again.',
      { cause },
    );
    this.name = 'CodeNotFetched';
    this.isReachable = isReachable;
  }
}

export const isPortalReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Imports code; throws `CodeNotFetched`. */
export async function fetchCode<T>(load: () => Promise<T>): Promise<T> {
  // Some browsers keep the failure of an import until the document is reloaded: without a connection none is tried.
  if (navigator.onLine === false && !(await isPortalReachable())) throw new CodeNotFetched(false);
  return load().catch(async (cause) => {
    throw new CodeNotFetched(await isPortalReachable(), cause);
  });
}
