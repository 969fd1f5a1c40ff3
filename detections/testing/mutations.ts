/**
 * Trivial evasions of rules on process starts: the same command spelt otherwise. A rule has to find each of them, or its pair says under
 * `evadedBy` why it cannot.
 */
import type { Document } from './pairs.ts';

/** Spelling → the values of a process start that change; undefined where it does not apply. */
const mutations: Record<string, (data: Readonly<Record<string, string>>) => Record<string, string> | undefined> = {
  /** Windows compares neither paths nor most options by case; data in base64 would become other data. */
  upperCase: ({ Image = '', CommandLine = '' }) =>
    /[A-Za-z0-9+/]{24,}/.test(CommandLine) ? undefined : { Image: Image.toUpperCase(), CommandLine: CommandLine.toUpperCase() },
  lowerCase: ({ Image = '', CommandLine = '' }) =>
    /[A-Za-z0-9+/]{24,}/.test(CommandLine) ? undefined : { Image: Image.toLowerCase(), CommandLine: CommandLine.toLowerCase() },
  twoSpaces: ({ CommandLine = '' }) => ({ CommandLine: outsideQuotes(CommandLine, (text) => text.replaceAll(' ', '  ')) }),
  quotedProgram: ({ CommandLine = '' }) =>
    CommandLine.startsWith('"') ? undefined : { CommandLine: CommandLine.replace(/^\S+/, '"$&"') },
  bareProgram: ({ Image = '', CommandLine = '' }) => ({
    CommandLine: CommandLine.replace(program, nameOf(Image).replace(/\.exe$/i, '')),
  }),
  fullPath: ({ Image = '', CommandLine = '' }) => ({ CommandLine: CommandLine.replace(program, `"${Image}"`) }),
  /** A copy in another folder, under its own name. */
  otherFolder: ({ Image = '' }) => ({ Image: `C:\\Users\\Public\\Music\\${nameOf(Image)}` }),
  /** A renamed copy; the version resource stays. */
  renamed: ({ CommandLine = '', OriginalFileName = '-' }) =>
    OriginalFileName === '-'
      ? undefined
      : { Image: 'C:\\Users\\Public\\Music\\svcupd.exe', CommandLine: CommandLine.replace(program, 'svcupd.exe') },
};

const program = /^(?:"[^"]*"|\S+)/;
const nameOf = (image: string): string => image.slice(image.lastIndexOf('\\') + 1);

const outsideQuotes = (text: string, change: (part: string) => string): string =>
  text
    .split('"')
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('"');

export const spellings = Object.keys(mutations);

/** Documents of the same process start in other spellings. Events other than Sysmon's process start have none. */
export function mutantsOf(document: Document): { spelling: string; document: Document }[] {
  const winlog = document.winlog as Document | undefined;
  if (winlog?.channel !== 'Microsoft-Windows-Sysmon/Operational' || winlog.event_id !== '1') return [];
  const data = winlog.event_data as Record<string, string>;
  return Object.entries(mutations).flatMap(([spelling, mutate]) => {
    const changed = mutate(data);
    if (!changed || Object.entries(changed).every(([field, value]) => data[field] === value)) return [];
    return [{ spelling, document: { ...document, winlog: { ...winlog, event_data: { ...data, ...changed } } } }];
  });
}
