import { describe, expect, test } from 'vitest';
import { readScan } from './scans.formats.ts';
import { ecosystemOfSystem, readPurl } from './scans.packages.ts';

describe('scans', () => {
  const trivy = {
    SchemaVersion: 2,
    ArtifactName: 'host',
    Metadata: { OS: { Family: 'debian', Name: '12.5' } },
    Results: [
      {
        Target: 'host (debian 12.5)',
        Class: 'os-pkgs',
        Type: 'debian',
        Packages: [
          { Name: 'libssl3', Version: '3.0.11-1' },
          { Name: 'bash', Version: '5.2' },
        ],
        Vulnerabilities: [
          {
            VulnerabilityID: 'CVE-2024-1111',
            PkgName: 'libssl3',
            InstalledVersion: '3.0.11-1',
            FixedVersion: '3.0.12-1',
            Title: 'A title',
            Severity: 'HIGH',
            CVSS: { nvd: { V3Score: 9.1 }, redhat: { V3Score: 5 } },
          },
          { VulnerabilityID: 'CVE-2024-2222' },
          null,
        ],
      },
      {
        Target: 'app/package-lock.json',
        Class: 'lang-pkgs',
        Type: 'npm',
        Vulnerabilities: [{ VulnerabilityID: 'GHSA-x', PkgName: 'lodash', InstalledVersion: '1', Severity: 'UNKNOWN' }],
      },
    ],
  };
  const scan = (value: unknown) => readScan(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

  test('reads Trivy’s findings and reports skipped ones', () => {
    const { tool, content, packages, languages, skips } = scan(trivy);
    expect([tool, packages, languages, content.packages]).toEqual(['trivy', 3, 1, []]);
    expect(content.reported).toMatchObject([
      { cve: 'CVE-2024-1111', ecosystem: 'Debian:12', package: 'libssl3', fixedVersion: '3.0.12-1', severity: 'high', cvss: 9.1 },
      { cve: 'GHSA-x', ecosystem: 'npm', package: 'lodash', fixedVersion: null, severity: '', cvss: null },
    ]);
    expect(skips.texts).toEqual(['CVE-2024-2222 names no package.', 'A vulnerability is not an object.']);
    expect(scan(trivy.Results).content.reported).toHaveLength(2);
  });

  test('reads nested CycloneDX components and its vulnerabilities, except resolved ones', () => {
    const { tool, content, packages, skips } = scan({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [
        {
          type: 'library',
          'bom-ref': 'a',
          name: 'core',
          purl: 'pkg:npm/%40babel/core@7.0.0',
          components: [{ 'bom-ref': 'b', purl: 'pkg:pypi/Flask_Thing@1.0' }],
        },
        { type: 'operating-system', name: 'debian' },
        { purl: 'pkg:deb/debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12.5&upstream=openssl%403.0.11-1' },
        { purl: 'pkg:unknown/x' },
        7,
      ],
      vulnerabilities: [
        {
          id: 'CVE-2024-1',
          ratings: [
            { method: 'CVSSv2', score: 4 },
            { method: 'CVSSv31', score: 7.5, severity: 'high' },
          ],
          affects: [{ ref: 'a' }, { ref: 'urn:cdx:x/1#b' }, { ref: 'nowhere' }],
        },
        { id: 'CVE-2024-2', analysis: { state: 'not_affected' }, affects: [{ ref: 'a' }] },
        {},
      ],
    });
    expect([tool, packages]).toEqual(['cyclonedx', 3]);
    expect(content.packages).toContainEqual({ ecosystem: 'Debian:12', name: 'libssl3', version: '3.0.11-1', source: 'openssl' });
    expect(content.reported.map((each) => [each.cve, each.package, each.cvss])).toEqual([
      ['CVE-2024-1', '@babel/core', 7.5],
      ['CVE-2024-1', 'Flask_Thing', 7.5],
    ]);
    expect(skips.count).toBe(4);
  });

  test.each([
    ['pkg:deb/ubuntu/bash@5.1?distro=ubuntu-22.04', 'Ubuntu:22.04', 'bash', '5.1'],
    ['pkg:apk/alpine/busybox@1.36.1-r5?distro=3.18.4', 'Alpine:v3.18', 'busybox', '1.36.1-r5'],
    ['pkg:rpm/rocky/openssl-libs@3.0.7-27.el9?epoch=1&distro=rocky-9.3', 'Rocky Linux:9', 'openssl-libs', '1:3.0.7-27.el9'],
    ['pkg:rpm/redhat/bash@5.1.8?distro=rhel-9.2', 'Red Hat:9', 'bash', '5.1.8'],
    ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1', 'Maven', 'org.apache.logging.log4j:log4j-core', '2.14.1'],
    ['pkg:golang/golang.org/x/net@v0.17.0#http2', 'Go', 'golang.org/x/net', 'v0.17.0'],
    ['pkg:deb/debian/x@1%3A2.0~rc1', 'other', 'x', '1:2.0~rc1'],
  ])('%s', (purl, ecosystem, name, version) => {
    expect(readPurl(purl)).toMatchObject({ ecosystem, name, version });
  });
  test.each(['', 'pkg:npm/lodash', 'pkg:npm/%E0%A4%A@1', 'pkg:__proto__/x@1', 'lodash@1', 'pkg:constructor/a@1'])(
    'rejects package URL %s',
    (purl) => {
      expect(readPurl(purl)).toBeUndefined();
    },
  );
  test('maps operating systems to ecosystems', () => {
    expect(
      ['debian 12.5', 'ubuntu 22.04', 'alpine 3.18.4', 'redhat 9.2', 'alma 8.9', 'plan9 4'].map((each) =>
        ecosystemOfSystem(...(each.split(' ') as [string, string])),
      ),
    ).toEqual(['Debian:12', 'Ubuntu:22.04', 'Alpine:v3.18', 'Red Hat:9', 'AlmaLinux:8', '']);
  });

  test('rejects or truncates hostile results', () => {
    const deep = '['.repeat(1_000_000);
    for (const text of [
      '',
      'null',
      '{}',
      '[]',
      '{"bomFormat":"x"}',
      deep,
      `{"Results":${deep}`,
      '{"Results":[',
      '\uFEFFx',
      '[1,2]',
    ])
      expect(() => scan(text)).toThrow(/Neither|JSON|nested/);
    const many = {
      bomFormat: 'CycloneDX',
      components: Array.from({ length: 60_000 }, (_, at) => ({ purl: `pkg:npm/a${at}@1` })),
    };
    const { packages, skips } = scan(many);
    expect([packages, skips.texts]).toEqual([50_000, [expect.stringContaining('the rest was skipped')]]);
    const strange = scan(
      '{"ArtifactName":"x","Results":[{"Type":"__proto__","Vulnerabilities":[{"VulnerabilityID":"CVE-2024-1","PkgName":"a\\u0000\\ud800","CVSS":{"toString":{},"nvd":{"V3Score":99}}}]}]}',
    );
    expect(strange.content.reported).toMatchObject([{ package: 'a\uFFFD\uFFFD', ecosystem: '__proto__', cvss: null }]);
  });
});
