/**
 * PowerShell’s two logs: script blocks and module logging of the operational one (4103, 4104), engine events of the classic
 * one (400, 403, 600, 800), whose facts are `Name=Value` lines inside one text.
 */
import { baseName, fill, kind, known, number, section, text } from '../doc.ts';
import { fillUser, type Row, type Table, type WindowsEvent } from './event.ts';

/**
 * Returns the value of a `Name=Value` or `Name = Value` line. Searched with `indexOf` in the first 20,000 characters,
 * because these texts are untrusted.
 */
export function lineValue(details: string | undefined, name: string): string | undefined {
  if (details === undefined) return undefined;
  const where = details.length > 20_000 ? details.slice(0, 20_000) : details;
  for (let at = where.indexOf(name); at >= 0; at = where.indexOf(name, at + name.length)) {
    const before = at === 0 ? '\n' : where[at - 1]!;
    if (before !== '\n' && before !== '\t' && before !== ' ' && before !== '\r') continue;
    let start = at + name.length;
    while (where[start] === ' ') start++;
    if (where[start] !== '=') continue;
    const end = where.indexOf('\n', start);
    const value = where.slice(start + 1, end < 0 ? undefined : end).trim();
    return value === '' ? undefined : value;
  }
  return undefined;
}

function fillHost(event: WindowsEvent, details: string | undefined): void {
  const application = lineValue(details, 'Host Application') ?? lineValue(details, 'HostApplication');
  const process = section(event.document, 'process');
  if (application !== undefined) {
    fill(process, 'command_line', application);
    const quoted = /^"([^"]{1,300})"/.exec(application)?.[1];
    const image = quoted ?? application.split(' ', 1)[0];
    fill(process, 'name', baseName(image));
    if (image !== undefined && /[\\/]/.test(image)) fill(process, 'executable', image);
  }
  const user = lineValue(details, 'User') ?? lineValue(details, 'UserId');
  if (user !== undefined) fillUser(section(event.document, 'user'), user);
  const shell = section(event.document, 'powershell');
  const version = lineValue(details, 'Engine Version') ?? lineValue(details, 'EngineVersion');
  if (version !== undefined) fill(section(shell, 'engine'), 'version', version);
  const command = lineValue(details, 'Command Name') ?? lineValue(details, 'CommandName');
  if (command !== undefined) fill(section(shell, 'command'), 'name', command);
}

function fillModule(event: WindowsEvent): void {
  fillHost(event, known(event.data.ContextInfo));
}

function fillScriptBlock({ document, data }: WindowsEvent): void {
  const file = section(section(document, 'powershell'), 'file');
  fill(file, 'script_block_text', known(data.ScriptBlockText));
  fill(file, 'script_block_id', known(data.ScriptBlockId));
  const shell = section(document, 'powershell');
  fill(shell, 'sequence', number(data.MessageNumber));
  fill(shell, 'total', number(data.MessageTotal));
  const path = known(data.Path);
  if (path !== undefined) {
    fill(section(document, 'file'), 'path', path);
    fill(section(document, 'file'), 'name', baseName(path));
  }
}

/** Returns the text with the details of a classic event, which is not at the same place in all of them. */
function classicDetails({ data }: WindowsEvent): string | undefined {
  const parts = [data.param3, data.param2, ...(Array.isArray(data.Data) ? data.Data : [data.Data])];
  const texts = parts.filter((part): part is string => typeof part === 'string');
  return texts.find((part) => part.includes('HostApplication')) ?? text(data.param3) ?? text(data.Data);
}

const fillClassic = (event: WindowsEvent): void => fillHost(event, classicDetails(event));

const classic = (type: string, action: string, verb: string): Row => ({
  kind: kind('process', type, action),
  fill: fillClassic,
  summarise: (event) =>
    `PowerShell ${verb}: ${lineValue(classicDetails(event), 'HostApplication') ?? known(event.data.param1) ?? ''}`,
});

export const powershellTable: Table = new Map([
  [400, classic('start', 'Engine Lifecycle', 'started')],
  [403, classic('end', 'Engine Lifecycle', 'stopped')],
  [600, classic('info', 'Provider Lifecycle', 'provider started')],
  [800, classic('info', 'Pipeline Execution Details', 'pipeline executed')],
  [
    4103,
    {
      kind: kind('process', 'info', 'Executing Pipeline'),
      fill: fillModule,
      summarise: ({ data }) =>
        `PowerShell ran ${lineValue(known(data.ContextInfo), 'Command Name') ?? 'a command'}: ${known(data.Payload) ?? ''}`,
    },
  ],
  [
    4104,
    {
      kind: kind('process', 'info', 'Execute a Remote Command'),
      fill: fillScriptBlock,
      summarise: ({ data }) =>
        `PowerShell script block${known(data.Path) ? ` of ${known(data.Path)}` : ''}: ${known(data.ScriptBlockText)?.slice(0, 1500) ?? ''}`,
    },
  ],
  [4105, { kind: kind('process', 'start', 'Starting Command'), summarise: () => 'PowerShell script block started' }],
  [4106, { kind: kind('process', 'end', 'Stopping Command'), summarise: () => 'PowerShell script block ended' }],
]);
