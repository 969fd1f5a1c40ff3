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
  const parts = partsOf(value);
  return form === asName ? parts?.name : form === asFolder ? parts?.folder : form === asInside ? parts?.inside : undefined;
}

/** Calls `note` with each form that differs from the value. */
export function eachForm(value: string, note: (form: number, made: string) => void): void {
  const digits = digitsOf(value);
  if (digits !== undefined && digits !== value) note(asDigits, digits);
  const parts = partsOf(value);
  if (!parts) return;
  note(asName, parts.name);
  note(asFolder, parts.folder);
  if (parts.inside !== parts.folder) note(asInside, parts.inside);
}

/** A path taken apart: JSON text writes each backslash twice. Undefined without a separator, or where the last backslash is part of another escape. */
function partsOf(path: string): { name: string; folder: string; inside: string } | undefined {
  const end = Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));
  if (end < 0) return undefined;
  let slashes = 0;
  while (path[end - slashes] === '\\') slashes++;
  if (slashes % 2 === 1) return undefined;
  const folder = path.slice(0, path[end] === '/' ? end : end - 1);
  const first = /\\\\|\//.exec(folder);
  return { name: path.slice(end + 1), folder, inside: first ? folder.slice(first.index + first[0].length) : folder };
}
