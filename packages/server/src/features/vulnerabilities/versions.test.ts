import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareApk, compareDebian, compareRpm } from './versions.linux.ts';
import { compareMaven } from './versions.maven.ts';
import { advisoryName, type Compare, ecosystemKey, orderOf, packageKey } from './versions.ts';

const sign = (value: number | undefined) => (value === undefined ? '?' : value < 0 ? '<' : value > 0 ? '>' : '=');
/** "a < b", tested in both directions. */
function holds(compare: Compare, text: string): string {
  const [a = '', wanted = '', b = ''] = text.split(' ');
  const clean = (part: string) => (part === '∅' ? '' : part);
  const opposite = { '<': '>', '>': '<', '=': '=' }[wanted as '<'];
  expect([text, sign(compare(clean(a), clean(b))), sign(compare(clean(b), clean(a)))]).toEqual([text, wanted, opposite]);
  return text;
}

// dpkg: lib/dpkg/t/t-version.c, Debian policy 5.6.12.
const debian = [
  '0 = 0',
  '0:0 = 0',
  '0:0-0 = 0',
  '0:0-00 = 0',
  '1:2-3 = 1:2-3',
  '0:1-1 < 1:1-1',
  '1:0.9 > 2.0',
  '0:0-0a < 0:0-0b',
  '1.0~rc1 < 1.0',
  '1.0~~ < 1.0~~a',
  '1.0~~a < 1.0~',
  '1.0~ < 1.0',
  '1.0 < 1.0a',
  '1.0a < 1.0+',
  '1.2.3-1 < 1.2.3-1+deb12u1',
  '1.2.3-1~bpo11+1 < 1.2.3-1',
  '3.0.11-1~deb12u1 < 3.0.11-1~deb12u2',
  '7.6p2-4 > 7.6-0',
  '1.0.3-3 > 1.0-1',
  '1.3 > 1.2.2-2',
  '2-2 > 2-1.9',
  '1.10 > 1.9',
  '1.010 > 1.9',
  '5.10.0-28 > 5.10.0-9',
  '2.36-9+deb12u10 > 2.36-9+deb12u9',
  '1.1.1n-0+deb11u5 < 1.1.1w-0',
  '99999999999999999999999 > 99999999999999999999998',
  '1:1.2.13.dfsg-1 > 1.3',
];

// rpm: tests/rpmvercmp.at.
const rpm = [
  '1.0 = 1.0',
  '1.0 < 2.0',
  '2.0.1 < 2.0.1a',
  '5.5p1 < 5.5p2',
  '5.5p10 > 5.5p1',
  '10xyz < 10.1xyz',
  'xyz10 < xyz10.1',
  'xyz.4 < 8',
  '8 > xyz.4',
  '5.5p2 < 5.6p1',
  '5.6p1 < 6.5p1',
  '6.0.rc1 > 6.0',
  '10b2 > 10a1',
  '1.0aa > 1.0a',
  '10.0001 = 10.1',
  '10.0001 < 10.0039',
  '4.999.9 < 5.0',
  '20101121 < 20101122',
  '2_0 = 2.0',
  '2_0 = 2_0',
  'a+ = a_',
  '+ = _',
  '1.0~rc1 < 1.0',
  '1.0~rc1 < 1.0~rc2',
  '1.0~rc1~git123 < 1.0~rc1',
  '1.0^ > 1.0',
  '1.0^git1 > 1.0',
  '1.0^git1 < 1.0^git2',
  '1.0^git1 < 1.01',
  '1.0^20160101 < 1.0.1',
  '1.0^20160101^git1 < 1.0^20160102',
  '1.0~rc1^git1 > 1.0~rc1',
  '1.0^git1~pre < 1.0^git1',
  '1:3.0.7-27.el9 > 3.0.7-28.el9',
  '3.0.7-27.el9 > 3.0.7-25.el9_3',
  '1b.fc17 = 1b.fc17',
  '1b.fc17 < 1.fc17',
  '1g.fc17 > 1.fc17',
  '1.fc17 < 1.1.fc17',
  '99999999999999999999999 > 99999999999999999999998',
];

// apk-tools: test/version.data.
const apk = [
  '2.34 > 0.1.0_alpha',
  '0.1.0_alpha = 0.1.0_alpha',
  '0.1.0_alpha < 0.1.3_alpha',
  '0.1.0_alpha2 > 0.1.0_alpha',
  '0.1.0_alpha < 0.1.1',
  '1.0 > 1.0_rc1',
  '1.0_p1 > 1.0',
  '1.0_p > 1.0',
  '1.0_p > 1.0-r1',
  '0c_p > 0c_git2024',
  '1.0_git20240101 > 1.0',
  '1.0_alpha < 1.0_beta',
  '1.0_pre1 < 1.0_rc1',
  '1.0_p10 > 1.0_p9',
  '1.0.4 < 1.0.4-r1',
  '3.1.4-r5 < 3.1.4-r6',
  '3.1.4-r10 > 3.1.4-r9',
  '1.35.0-r29 < 1.36.0-r0',
  '0.12.1 > 0.1.2.3',
  '1.2 < 1.10',
  '1.01 < 1.1',
  '0.10.2 > 0.10.1',
  '2.2 > 2.0.4_rc7',
  '1.0a < 1.0b',
  '8.2_p1 < 8.2.1',
  '20220614-r0 < 20230506-r0',
  '1.1.1w-r1 > 1.1.1v-r9',
  '0.1.0_alpha_pre2 < 0.1.0_alpha',
  '2.01.01_alpha10 > 0.94',
  '1.00_beta2 > 0.9.2',
  '1.2.07.8 < 1.2.12.04',
  '1.2.12.04 < 1.2.12.05',
  '0.9.28-r2 < 0.9.28.1',
  '1.06-r6 < 006',
  '006 > 1.0.0',
  '021109-r3 < 20060512',
  '2.5.1-r8 < 2.5.1a-r1',
  '1.3_pre1-r1 < 1.3.2',
  '1.0.0_pre20191002222144-r0 < 1.0.0_pre20210530193627-r0',
  '7.0.17 < 7.0.174',
  '4.3_p2-r5 < 4.4_p1-r6',
];

// semver.org, section 11; and Go’s and loose spellings.
const semantic = [
  '1.0.0-alpha < 1.0.0-alpha.1',
  '1.0.0-alpha.1 < 1.0.0-alpha.beta',
  '1.0.0-alpha.beta < 1.0.0-beta',
  '1.0.0-beta.2 < 1.0.0-beta.11',
  '1.0.0-rc.1 < 1.0.0',
  '1.0.0+build = 1.0.0',
  'v1.2.3 = 1.2.3',
  '1.2 = 1.2.0',
  '2 > 1.99.99',
  'v0.0.0-20220314234659-1baeb1ce4c0b < v0.0.0-20220315160706-3147a52a75dd',
];

// PEP 440, summary of the order.
const python = [
  '1.0.dev456 < 1.0a1',
  '1.0a1 < 1.0a2.dev456',
  '1.0a12.dev456 < 1.0a12',
  '1.0b2 < 1.0rc1',
  '1.0rc1 < 1.0',
  '1.0 < 1.0+abc.5',
  '1.0+abc.7 < 1.0+5',
  '1.0 < 1.0.post456',
  '1.0.post456 < 1.1.dev1',
  '1.0 = 1.0.0',
  '1!0.5 > 2024.1',
  '1.0RC1 = 1.0rc1',
];

// POM reference examples and Maven’s ComparableVersionTest.
const maven = [
  '1 < 1.1',
  '1-snapshot < 1',
  '1 < 1-sp',
  '1-foo2 < 1-foo10',
  '1.foo = 1-foo',
  '1-foo < 1-1',
  '1-1 < 1.1',
  '1.ga = 1-ga',
  '1-ga = 1-0',
  '1-0 = 1.0',
  '1.0 = 1',
  '1-sp > 1-ga',
  '1-sp.1 > 1-ga.1',
  '1-a1 = 1-alpha-1',
  '1.0.0 = 1',
  '1.final = 1',
  '1.release = 1',
  '1.0- = 1',
  '1. = 1',
  '1.0.0-foo.0.0 = 1-foo',
  '1.0.0-0.0.0 = 1',
  '1-alpha-1 < 1-beta-1',
  '2.0-rc1 < 2.0',
  '2.0-cr1 = 2.0-rc1',
  '2.14.1 < 2.15.0',
  '2.15.0 < 2.17.1',
  '1.10 > 1.9',
  '9.4.51.v20230217 < 9.4.52.v20230823',
];

test.each([
  ['dpkg', compareDebian, debian],
  ['rpm', compareRpm, rpm],
  ['apk', compareApk, apk],
  ['npm, Go, crates', orderOf('npm')!, semantic],
  ['PyPI', orderOf('PyPI')!, python],
  ['Maven', compareMaven, maven],
] as const)('%s matches the order of its own tests and documents', (_name, compare, vectors) => {
  expect(vectors.map((text) => holds(compare, text))).toHaveLength(vectors.length);
});

// Realistic versions, with the characters on which orders differ.
const pieces = (...texts: string[]) => fc.constantFrom(...texts);
const free = fc
  .array(pieces('0', '1', '01', '9', '10', 'a', 'b', 'rc', '~', '^', '+', '.', '-', ':', 'Z', '00', '2'), { maxLength: 8 })
  .map((list) => list.join(''));
const apkVersion = fc
  .tuple(
    fc.array(pieces('0', '1', '2', '10', '01', '05', '00'), { minLength: 1, maxLength: 3 }),
    pieces('', 'a', 'c'),
    pieces('', '_alpha', '_beta2', '_pre', '_rc1', '_rc10', '_git', '_git2024', '_p', '_p1', '_pre_p', '_p_rc1'),
    pieces('', '-r0', '-r1', '-r12'),
  )
  .map(([numbers, letter, suffix, revision]) => `${numbers.join('.')}${letter}${suffix}${revision}`);
const semanticVersion = fc
  .tuple(fc.nat(3), fc.nat(12), fc.nat(3), pieces('', '-alpha', '-alpha.1', '-rc.2', '-rc.10', '-1', '+b'))
  .map(([a, b, c, rest]) => `${a}.${b}.${c}${rest}`);
const pythonVersion = fc
  .tuple(pieces('', '1!'), fc.nat(3), fc.nat(12), pieces('', 'a1', 'b2', 'rc1', '.post1', '.dev3', 'rc1.dev2', '+local.1', '+2'))
  .map(([epoch, a, b, rest]) => `${epoch}${a}.${b}${rest}`);
const mavenVersion = fc
  .tuple(
    fc.nat(3),
    pieces('', '.0', '.1', '-1', '.10'),
    pieces('', '-alpha', '-rc1', '-SNAPSHOT', '.Final', '-sp', '-foo', '-jre', 'b2'),
  )
  .map((parts) => parts.join(''));

describe.each([
  ['dpkg', compareDebian, free],
  ['rpm', compareRpm, free],
  ['apk', compareApk, apkVersion],
  ['semver', orderOf('npm')!, semanticVersion],
  ['PEP 440', orderOf('PyPI')!, pythonVersion],
  ['Maven', compareMaven, mavenVersion],
] as const)('%s is a total order', (_name, compare, version) => {
  test('compares antisymmetrically', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(sign(compare(a, a))).toBe('=');
        expect(sign(-(compare(a, b) ?? Number.NaN))).toBe(sign(compare(b, a)));
      }),
    );
  });

  test('compares transitively', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const [x, y, z] = [a, b, c].sort((one, other) => compare(one, other) ?? 0) as [string, string, string];
        expect([x, y, z, compare(x, y)! <= 0 && compare(y, z)! <= 0 && compare(x, z)! <= 0]).toEqual([x, y, z, true]);
      }),
      { numRuns: 3_000 },
    );
  });
});

test('handles hostile texts quickly', () => {
  const hostile = [
    '',
    ' ',
    '-',
    ':',
    '~~~',
    '.'.repeat(10_000),
    '1.'.repeat(10_000),
    '9'.repeat(10_000),
    '\0',
    '💥',
    '-r',
    '_',
    '1_',
    '^'.repeat(9_999),
  ];
  const started = performance.now();
  for (const compare of [compareDebian, compareRpm, compareApk, compareMaven, orderOf('npm')!, orderOf('PyPI')!])
    for (const a of hostile) for (const b of hostile) expect(['number', 'undefined']).toContain(typeof compare(a, b));
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('returns undefined for invalid versions', () => {
  expect(orderOf('npm')!('latest', '1.0.0')).toBeUndefined();
  expect(orderOf('PyPI')!('1.0', 'not a version')).toBeUndefined();
  expect(orderOf('NuGet')).toBeUndefined();
  expect(orderOf('__proto__')).toBeUndefined();
  expect(orderOf('constructor:1')).toBeUndefined();
});

test('maps advisories and inventories to one name', () => {
  expect(ecosystemKey('Ubuntu:22.04:LTS')).toBe('Ubuntu:22.04');
  expect(ecosystemKey('Ubuntu:Pro:18.04:LTS')).toBe('Ubuntu:Pro:18.04');
  expect(ecosystemKey('Red Hat:enterprise_linux:9::baseos')).toBe('Red Hat:9');
  expect(ecosystemKey('Red Hat:rhel_eus:9.2::baseos')).toBe('Red Hat:rhel_eus:9.2::baseos');
  expect(packageKey('PyPI', 'Flask_SQLAlchemy')).toBe('flask-sqlalchemy');
  expect(packageKey('npm', '@Babel/core')).toBe('@Babel/core');
  expect(advisoryName({ ecosystem: 'Debian:12', name: 'libssl3', source: 'openssl' })).toBe('openssl');
  expect(advisoryName({ ecosystem: 'Debian:12', name: 'linux-image-6.1.0-26-amd64', source: 'linux-signed-amd64' })).toBe(
    'linux',
  );
  expect(advisoryName({ ecosystem: 'Red Hat:9', name: 'openssl-libs', source: 'openssl' })).toBe('openssl-libs');
});
