import { expect, it } from 'vitest';
import { matchRange } from './matchRange.ts';

const marked = (modifier: string, pattern: string, value: string) =>
  matchRange(modifier, pattern, value).reduceRight(
    (text, [start, end]) => `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`,
    value,
  );

it.each([
  ['', 'whoami.exe', 'whoami.exe', '[whoami.exe]'],
  ['equals', 'WHOAMI', 'whoami', '[whoami]'],
  ['contains', ' -EncodedCommand ', 'powershell -encodedcommand abc', 'powershell[ -encodedcommand ]abc'],
  ['contains|all', 'sekurlsa', 'mimikatz sekurlsa::logonpasswords', 'mimikatz [sekurlsa]::logonpasswords'],
  ['endswith', '\\rundll32.exe', 'C:\\Windows\\System32\\rundll32.exe', 'C:\\Windows\\System32[\\rundll32.exe]'],
  ['startswith', 'C:\\Users\\', 'c:\\users\\anna\\x.exe', '[c:\\users\\]anna\\x.exe'],
  ['contains|windash', ' -ma ', 'procdump /ma lsass', 'procdump[ /ma ]lsass'],
  ['contains', 'net*user', 'cmd /c net localgroup user x', 'cmd /c [net localgroup user] x'],
  ['contains', 'a\\*b', 'xa*by', 'x[a*b]y'],
  ['contains|cased', 'ABC', 'abcABC', 'abc[ABC]'],
  ['re', '(a+)+$', 'aaaa!', 'aaaa!'],
  ['cidr', '10.0.0.0/8', '10.1.2.3', '[10.1.2.3]'],
  ['base64offset|contains', 'IEX', 'SUVY', 'SUVY'],
  ['contains', 'nowhere', 'something else', '[something else]'],
  ['contains', '', 'x', '[x]'],
  ['contains', '***', 'x', '[x]'],
  ['contains', 'x', '', ''],
  ['contains', 'stan', 'İstanbul', '[İstanbul]'],
])('%s %j in %j', (modifier, pattern, value, expected) => expect(marked(modifier, pattern, value)).toBe(expected));

it('stays fast on hostile patterns', () => {
  const start = performance.now();
  matchRange('contains', '*a'.repeat(1000), 'a'.repeat(2000));
  matchRange('contains', `${'a*'.repeat(1000)}b`, 'a'.repeat(2000));
  expect(performance.now() - start).toBeLessThan(2_000);
});
