/** Version set at build time; 0.0.0 when run from source, so that any package is newer. */
declare const AGENT_VERSION: string | undefined;

export const agentVersion: string = typeof AGENT_VERSION === 'string' ? AGENT_VERSION : '0.0.0';
export const platform = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64';

/** Compares versions of three numbers; false if either is malformed. */
export function isNewer(version: string, than: string): boolean {
  const form = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/;
  const [a, b] = [form.exec(version), form.exec(than)];
  if (!a || !b) return false;
  for (let i = 1; i <= 3; i++) {
    const difference = Number(a[i]) - Number(b[i]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
