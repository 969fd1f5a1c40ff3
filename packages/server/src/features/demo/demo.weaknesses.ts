/**
 * Real vulnerabilities for the demo: ids, base scores, known exploitation (with CISA’s listing date) and fixed versions in Debian 12, Ubuntu 22.04
 * and 24.04, Maven, npm and PyPI. Scores and listings are from memory, EPSS is rounded: imported, they are marked as invented.
 */

/** CVSS v3.1 vectors by score; `S` marks a changed scope. */
const vectors = {
  '10.0': 'AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  '9.8': 'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  '9.3': 'AV:L/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  '9.1': 'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  '9.0': 'AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H',
  '8.8': 'AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H',
  '8.1': 'AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
  '8.0': 'AV:N/AC:H/PR:L/UI:R/S:C/C:H/I:H/A:H',
  '7.8': 'AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H',
  '7.5': 'AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
  '7.4': 'AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:H',
  '7.2': 'AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H',
  '6.6': 'AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H',
  '6.5': 'AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:N/A:N',
  '6.1': 'AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  '5.9': 'AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H',
  '5.6': 'AV:L/AC:H/PR:H/UI:R/S:U/C:H/I:H/A:N',
  '5.4': 'AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:N',
  '5.3': 'AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N',
  '3.3': 'AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:L/A:N',
} as const;

type Fix = readonly [ecosystem: string, name: string, before: string, fixed: string | null];
type Weakness = readonly [
  cve: string,
  title: string,
  score: keyof typeof vectors,
  epss: number,
  /** Date of listing as exploited; empty when not listed. */
  exploited: string,
  fixes: readonly Fix[],
];

const debian = 'Debian:12';
const jammy = 'Ubuntu:22.04:LTS';
const noble = 'Ubuntu:24.04:LTS';

// biome-ignore format: one row per vulnerability
export const weaknesses: readonly Weakness[] = [
  ['CVE-2021-44228', 'Log4Shell: JNDI lookups in Apache Log4j 2 run code from elsewhere', '10.0', 0.94, '2021-12-10', [['Maven', 'org.apache.logging.log4j:log4j-core', '2.14.1', '2.15.0']]],
  ['CVE-2021-45046', 'Apache Log4j 2: the fix for Log4Shell was incomplete', '9.0', 0.94, '2023-05-01', [['Maven', 'org.apache.logging.log4j:log4j-core', '2.14.1', '2.16.0']]],
  ['CVE-2021-45105', 'Apache Log4j 2: uncontrolled recursion by self-referential lookups', '5.9', 0.69, '', [['Maven', 'org.apache.logging.log4j:log4j-core', '2.14.1', '2.17.0']]],
  ['CVE-2021-44832', 'Apache Log4j 2: code execution through the JDBC appender', '6.6', 0.49, '', [['Maven', 'org.apache.logging.log4j:log4j-core', '2.14.1', '2.17.1']]],
  ['CVE-2022-22965', 'Spring4Shell: remote code execution by data binding in Spring Framework', '9.8', 0.94, '2022-04-04', [['Maven', 'org.springframework:spring-beans', '5.3.16', '5.3.18']]],
  ['CVE-2022-42889', 'Text4Shell: Apache Commons Text interpolates what runs code', '9.8', 0.94, '', [['Maven', 'org.apache.commons:commons-text', '1.9', '1.10.0']]],
  ['CVE-2022-1471', 'SnakeYAML: its constructor deserialises any type', '9.8', 0.94, '', [['Maven', 'org.yaml:snakeyaml', '1.33', '2.0']]],
  ['CVE-2021-23337', 'Lodash: command injection through templates', '7.2', 0.01, '', [['npm', 'lodash', '4.17.20', '4.17.21']]],
  ['CVE-2021-44906', 'minimist: prototype pollution', '9.8', 0.01, '', [['npm', 'minimist', '1.2.5', '1.2.6']]],
  ['CVE-2023-45857', 'axios: the anti-forgery token is sent to any host', '6.5', 0.01, '', [['npm', 'axios', '1.5.1', '1.6.0']]],
  ['CVE-2023-26159', 'follow-redirects: addresses are not validated properly', '6.1', 0.01, '', [['npm', 'follow-redirects', '1.15.2', '1.15.4']]],
  ['CVE-2024-29041', 'Express: open redirect by malformed addresses', '6.1', 0.01, '', [['npm', 'express', '4.18.2', '4.19.2']]],
  ['CVE-2024-37890', 'ws: a request with many headers stops the server', '7.5', 0.01, '', [['npm', 'ws', '8.13.0', '8.17.1']]],
  ['CVE-2025-29927', 'Next.js: the check in the middleware can be passed by a header', '9.1', 0.92, '', [['npm', 'next', '14.2.24', '14.2.25']]],
  ['CVE-2023-32681', 'Requests: the proxy’s credentials are sent on after a redirect', '6.1', 0.06, '', [['PyPI', 'requests', '2.28.2', '2.31.0']]],
  ['CVE-2024-35195', 'Requests: a session goes on without verifying certificates', '5.6', 0.01, '', [['PyPI', 'requests', '2.28.2', '2.32.0']]],
  ['CVE-2024-22195', 'Jinja: scripts through the filter xmlattr', '5.4', 0.01, '', [['PyPI', 'jinja2', '3.1.2', '3.1.3']]],
  ['CVE-2023-25577', 'Werkzeug: many parts of a form use up memory', '7.5', 0.03, '', [['PyPI', 'werkzeug', '2.2.2', '2.2.3']]],
  ['CVE-2024-1135', 'Gunicorn: request smuggling by Transfer-Encoding', '7.5', 0.01, '', [['PyPI', 'gunicorn', '20.1.0', '22.0.0']]],
  ['CVE-2024-23334', 'aiohttp: files outside of the static folder can be read', '7.5', 0.93, '', [['PyPI', 'aiohttp', '3.8.6', '3.9.2']]],
  ['CVE-2023-4863', 'libwebp: heap overflow by a crafted picture', '8.8', 0.94, '2023-09-13', [[debian, 'libwebp', '1.2.4-0.2', '1.2.4-0.2+deb12u1'], [jammy, 'libwebp', '1.2.2-2ubuntu0.22.04.1', '1.2.2-2ubuntu0.22.04.2'], ['PyPI', 'pillow', '9.5.0', '10.0.1']]],
  ['CVE-2023-5217', 'libvpx: heap overflow in VP8 encoding', '8.8', 0.03, '2023-10-02', [[debian, 'libvpx', '1.12.0-1', '1.12.0-1+deb12u1'], [jammy, 'libvpx', '1.11.0-2ubuntu2', '1.11.0-2ubuntu2.2']]],
  ['CVE-2023-44487', 'HTTP/2 Rapid Reset: streams that are cancelled use up the server', '7.5', 0.94, '2023-10-10', [[debian, 'nghttp2', '1.52.0-1', '1.52.0-1+deb12u1'], [jammy, 'nghttp2', '1.43.0-1build3', '1.43.0-1ubuntu0.1']]],
  ['CVE-2024-6387', 'regreSSHion: a race in the signal handler of OpenSSH’s server', '8.1', 0.46, '', [[debian, 'openssh', '1:9.2p1-2', '1:9.2p1-2+deb12u3'], [jammy, 'openssh', '1:8.9p1-3ubuntu0.7', '1:8.9p1-3ubuntu0.10'], [noble, 'openssh', '1:9.6p1-3ubuntu13', '1:9.6p1-3ubuntu13.3']]],
  ['CVE-2023-4911', 'Looney Tunables: local root through GLIBC_TUNABLES in glibc', '7.8', 0.77, '2023-11-21', [[debian, 'glibc', '2.36-9', '2.36-9+deb12u3'], [jammy, 'glibc', '2.35-0ubuntu3.1', '2.35-0ubuntu3.4']]],
  ['CVE-2023-6246', 'glibc: heap overflow in syslog()', '7.8', 0.2, '', [[debian, 'glibc', '2.36-9', '2.36-9+deb12u4']]],
  ['CVE-2023-38545', 'curl: heap overflow in the SOCKS5 handshake', '9.8', 0.26, '', [[debian, 'curl', '7.88.1-10', '7.88.1-10+deb12u4'], [jammy, 'curl', '7.81.0-1ubuntu1.13', '7.81.0-1ubuntu1.14']]],
  ['CVE-2022-3602', 'OpenSSL: overflow in the check of e-mail addresses in certificates', '7.5', 0.82, '', [[jammy, 'openssl', '3.0.2-0ubuntu1.6', '3.0.2-0ubuntu1.7']]],
  ['CVE-2023-0286', 'OpenSSL: type confusion in X.400 addresses', '7.4', 0.89, '', [[jammy, 'openssl', '3.0.2-0ubuntu1.6', '3.0.2-0ubuntu1.8']]],
  ['CVE-2023-22809', 'sudoedit: any file can be edited', '7.8', 0.46, '', [[jammy, 'sudo', '1.9.9-1ubuntu2.1', '1.9.9-1ubuntu2.2']]],
  ['CVE-2025-32463', 'sudo: local root through the option --chroot', '9.3', 0.23, '2025-09-29', [[noble, 'sudo', '1.9.15p5-3ubuntu5', '1.9.15p5-3ubuntu5.24.04.1']]],
  ['CVE-2023-36664', 'Ghostscript: permissions of pipes are not checked', '7.8', 0.46, '', [[debian, 'ghostscript', '10.0.0~dfsg-11', '10.0.0~dfsg-11+deb12u1']]],
  ['CVE-2023-50387', 'KeyTrap: a crafted DNSSEC answer stops a resolver', '7.5', 0.42, '', [[debian, 'bind9', '1:9.18.19-1~deb12u1', '1:9.18.24-1'], [jammy, 'bind9', '1:9.18.18-0ubuntu0.22.04.1', '1:9.18.18-0ubuntu0.22.04.2']]],
  ['CVE-2024-47176', 'cups-browsed: it trusts any packet from anywhere', '5.3', 0.92, '', [[debian, 'cups-filters', '1.28.17-3', '1.28.17-3+deb12u1'], [jammy, 'cups-filters', '1.28.15-0ubuntu1.2', '1.28.15-0ubuntu1.3']]],
  ['CVE-2024-48990', 'needrestart: local root through PYTHONPATH', '7.8', 0.33, '', [[debian, 'needrestart', '3.6-4', '3.6-4+deb12u2'], [jammy, 'needrestart', '3.5-5ubuntu2.1', '3.5-5ubuntu2.2'], [noble, 'needrestart', '3.6-7ubuntu4.1', '3.6-7ubuntu4.3']]],
  ['CVE-2024-12084', 'rsync: heap overflow by the length of a checksum', '9.8', 0.33, '', [[debian, 'rsync', '3.2.7-1', '3.2.7-1+deb12u1'], [noble, 'rsync', '3.2.7-1ubuntu1', '3.2.7-1ubuntu1.1']]],
  ['CVE-2024-1086', 'Linux: use after free in nf_tables', '7.8', 0.85, '2024-05-30', [[debian, 'linux', '6.1.69-1', '6.1.76-1']]],
  ['CVE-2024-38475', 'Apache HTTP Server: rewriting reaches files that are served nowhere', '9.1', 0.94, '2025-05-01', [[debian, 'apache2', '2.4.57-2', '2.4.61-1~deb12u1'], [jammy, 'apache2', '2.4.52-1ubuntu4.9', '2.4.52-1ubuntu4.10'], [noble, 'apache2', '2.4.58-1ubuntu8.1', '2.4.58-1ubuntu8.2']]],
  ['CVE-2024-32002', 'git: cloning with submodules runs code', '9.0', 0.79, '', [[jammy, 'git', '1:2.34.1-1ubuntu1.10', '1:2.34.1-1ubuntu1.11']]],
  ['CVE-2025-48384', 'git: a line end in a submodule’s path runs code', '8.0', 0.01, '2025-08-25', [[jammy, 'git', '1:2.34.1-1ubuntu1.10', '1:2.34.1-1ubuntu1.15'], [noble, 'git', '1:2.43.0-1ubuntu7.1', '1:2.43.0-1ubuntu7.3']]],
  ['CVE-2024-45491', 'Expat: integer overflow on 32-bit systems', '9.8', 0.01, '', [[debian, 'expat', '2.5.0-1', '2.5.0-1+deb12u1'], [jammy, 'expat', '2.4.7-1ubuntu0.3', '2.4.7-1ubuntu0.4']]],
  ['CVE-2024-28085', 'util-linux: wall lets escape sequences through', '3.3', 0.05, '', [[debian, 'util-linux', '2.38.1-5', '2.38.1-5+deb12u1'], [jammy, 'util-linux', '2.37.2-4ubuntu3', '2.37.2-4ubuntu3.4']]],
  ['CVE-2023-45853', 'zlib: overflow in MiniZip by a long file name', '9.8', 0.01, '', [[debian, 'zlib', '1:1.2.13.dfsg-1', null]]],
];

/** Advisories in the published import formats. */
export const demoAdvisories = (): string =>
  weaknesses
    .map(([cve, summary, score, , , fixes]) =>
      JSON.stringify({
        schema_version: '1.6.0',
        id: cve,
        modified: `${cve.slice(4, 8)}-12-31T00:00:00Z`,
        summary,
        severity: [{ type: 'CVSS_V3', score: `CVSS:3.1/${vectors[score]}` }],
        affected: fixes.map(([ecosystem, name, , fixed]) => ({
          package: { ecosystem, name },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, ...(fixed === null ? [] : [{ fixed }])] }],
        })),
      }),
    )
    .join('\n');

/** EPSS of a day, YYYY-MM-DD. */
export const demoEpss = (day: string): string =>
  [
    `#model_version:v2025.03.14,score_date:${day}T00:00:00+0000`,
    'cve,epss,percentile',
    ...weaknesses.map(([cve, , , epss]) => `${cve},${epss},${epss}`),
  ].join('\n');

export const demoExploited = (): string =>
  JSON.stringify({
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    vulnerabilities: weaknesses.flatMap(([cveID, vulnerabilityName, , , dateAdded]) =>
      dateAdded === '' ? [] : [{ cveID, vulnerabilityName, dateAdded }],
    ),
  });
