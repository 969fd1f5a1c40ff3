/** semver brings no types; this is what we use of it. */
declare module 'semver' {
  export interface SemVer {
    compare(other: SemVer): -1 | 0 | 1;
  }
  const semver: { parse(version: string, options: { loose: boolean }): SemVer | null };
  export default semver;
}
