/** 0 → 0 B, 1536 → 1.5 KiB. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes;
  let at = 0;
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return `${at === 0 || size >= 100 ? Math.floor(size) : Math.floor(size * 10) / 10} ${units[at]}`;
}
