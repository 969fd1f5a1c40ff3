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

/** Spelling → executable and arguments of a process start on Linux that change; undefined where it does not apply. */
const linuxMutations: Record<string, (folder: string, name: string, rest: string[]) => readonly [string, string[]] | undefined> =
  {
    absolute: (folder, name, rest) => [folder + name, [folder + name, ...rest]],
    relative: (folder, name, rest) => [folder + name, [`./${name}`, ...rest]],
    /** A copy in another folder, under its own name. */
    copied: (_folder, name, rest) => [`/dev/shm/${name}`, [`/dev/shm/${name}`, ...rest]],
    /** BusyBox runs its own version of the program, so nothing else is started. */
    busybox: (_folder, name, rest) => (applets.has(name) ? ['/usr/bin/busybox', ['busybox', name, ...rest]] : undefined),
    /** The loader starts a program that its rights or a rule on its file would stop. */
    loader: (folder, name, rest) => [loaderPath, [loaderPath, folder + name, ...rest]],
  };

const loaderPath = '/lib64/ld-linux-x86-64.so.2';
const applets = new Set(
  'adduser awk base64 cat chmod chown chroot cp crontab dd deluser find grep gzip head hostname id kill killall ln ls mount mv nc netstat nohup nsenter nslookup passwd ping pkill ps rm sed shred sort strings su tail tar tee telnet tftp timeout touch truncate umount uniq vi wget whoami xxd'.split(
    ' ',
  ),
);
const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const spellings = [...Object.keys(mutations), ...Object.keys(linuxMutations)];

/** Documents of the same process start in other spellings. Events other than process starts of Sysmon and auditd have none. */
export function mutantsOf(document: Document): { spelling: string; document: Document }[] {
  return document.auditd ? linuxMutantsOf(document) : windowsMutantsOf(document);
}

function linuxMutantsOf(document: Document): { spelling: string; document: Document }[] {
  const { executable, args, title } = document.process as { executable?: string; args?: string[]; title?: string };
  const { action } = document.event as { action?: string };
  const [called = '', ...rest] = args ?? [];
  const name = fileOf(called);
  // Names that are no file’s belong to programs that pose as something else.
  if (action !== 'executed' || !/^\/[\w./+-]+$/.test(executable ?? '') || !/^[\w.+-]+$/.test(name)) return [];
  const folder = executable!.slice(0, executable!.lastIndexOf('/') + 1);
  return Object.entries(linuxMutations).flatMap(([spelling, mutate]) => {
    const [image, line] = mutate(folder, name, rest) ?? [];
    if (image === undefined || line === undefined || line.join(' ') === title) return [];
    const process = { executable: image, name: fileOf(image).slice(0, 15), args: line, title: line.join(' ') };
    return [{ spelling, document: { ...document, process: { ...(document.process as Document), ...process } } }];
  });
}

function windowsMutantsOf(document: Document): { spelling: string; document: Document }[] {
  const winlog = document.winlog as Document | undefined;
  if (winlog?.channel !== 'Microsoft-Windows-Sysmon/Operational' || winlog.event_id !== '1') return [];
  const data = winlog.event_data as Record<string, string>;
  return Object.entries(mutations).flatMap(([spelling, mutate]) => {
    const changed = mutate(data);
    if (!changed || Object.entries(changed).every(([field, value]) => data[field] === value)) return [];
    return [{ spelling, document: { ...document, winlog: { ...winlog, event_data: { ...data, ...changed } } } }];
  });
}
