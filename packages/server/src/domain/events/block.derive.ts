/**
 * Values made of another value of their event: the name and the folder of a path, the key of a registry value, digits of a hash as ECS writes them. They lie within
 * the other value, upper case aside, so that a search finds them there. Values are JSON text without quotes.
 */

/** Forms by number: the value as it is, name, folder and inside of a path, digits. */
export const formCount = 5;
const [asName, asFolder, asInside, asDigits] = [1, 2, 3, 4];

const minDigits = 32;
const maxDigits = 141;
const digest = /^(?:[A-Z\d]{1,12}=)?([\dA-Fa-f]{32,128})$/;

const digitsOf = (value: string): string | undefined =>
  value.length < minDigits || value.length > maxDigits ? undefined : digest.exec(value)?.[1]?.toLowerCase();

/** Undefined for a value without such a part. */
export function derive(form: number, value: string): string | undefined {
  if (form === 0) return value;
  if (form === asDigits) return digitsOf(value);
  const end = nameEnd(value);
  if (end < 0) return undefined;
  if (form === asName) return value.slice(end + 1);
  const folder = folderOf(value, end);
  return form === asFolder ? folder : form === asInside ? insideOf(folder) : undefined;
}

/** Calls `note` with each form that differs from the value. */
export function eachForm(value: string, note: (form: number, made: string) => void): void {
  const digits = digitsOf(value);
  if (digits !== undefined && digits !== value) note(asDigits, digits);
  const end = nameEnd(value);
  if (end < 0) return;
  const folder = folderOf(value, end);
  const inside = insideOf(folder);
  note(asName, value.slice(end + 1));
  note(asFolder, folder);
  if (inside !== folder) note(asInside, inside);
}

const [backslash, slash] = [92, 47];

/** Place of a path's last separator: JSON text writes each backslash twice. -1 without one, or where the last backslash is part of another escape. */
function nameEnd(path: string): number {
  let end = path.length - 1;
  for (; end >= 0; end--) {
    const code = path.charCodeAt(end);
    if (code === backslash || code === slash) break;
  }
  let slashes = 0;
  while (path.charCodeAt(end - slashes) === backslash) slashes++;
  return slashes % 2 === 1 ? -1 : end;
}

const folderOf = (path: string, end: number): string => path.slice(0, path.charCodeAt(end) === slash ? end : end - 1);

function insideOf(folder: string): string {
  const first = /\\\\|\//.exec(folder);
  return first ? folder.slice(first.index + first[0].length) : folder;
}
