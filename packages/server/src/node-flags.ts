/**
 * How Node is to run the server. A small young generation: while events come in, what is alive of a batch is copied at each of its collections,
 * and the default (as large as it likes) stood still for up to 40 ms at once and held 100 MiB more.
 */
export const nodeFlags: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=4'];
