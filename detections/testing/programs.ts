/** Version resources of programs that rules name: a renamed copy keeps them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Program {
  OriginalFileName: string;
  Description: string;
  Product: string;
  Company: string;
}

const windows = { Product: 'Microsoft® Windows® Operating System', Company: 'Microsoft Corporation' };
const unknown: Program = { OriginalFileName: '-', Description: '-', Product: '-', Company: '-' };
const table = JSON.parse(readFileSync(fileURLToPath(new URL('programs.json', import.meta.url)), 'utf8')) as Record<
  string,
  Partial<Program>
>;

/** Version resource of the program by its file name; dashes, as Sysmon writes them, for a program that the table lacks. */
export function originalOf(image: string): Program {
  const own = table[image.slice(image.lastIndexOf('\\') + 1).toLowerCase()];
  return own ? { ...unknown, ...windows, ...own } : unknown;
}
