/**
 * Node flags of the server. A small young generation: under intake each collection copies the live part of a batch; with the default size pauses
 * reached 40 ms and memory grew by 100 MiB.
 */
export const nodeFlags: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=4'];

/** Of a first start, which creates the demo: fewer collections matter more than their pauses, until the next start. */
export const firstStartFlags: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=32'];
