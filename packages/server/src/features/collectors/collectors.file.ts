/**
 * Builds the complete file for a host from a saved configuration, the client’s common settings, the portal’s address and a
 * key.
 */
import type { BeatKind, ConfigKind } from '@parapet/contract/collectors.ts';
import { rsyslogOutput, withPort } from '@parapet/contract/rules/shippers.ts';
import { isScalar, isSeq, parse, parseDocument } from 'yaml';
import { type ClientSettings, ownSettings } from './collectors.own.ts';

/** The library’s quadratic duplicate check is off; `check` finds duplicates. */
export const reading = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

export const lines = (text: string): string[] => text.split('\n');

export interface FileDeps {
  kind: ConfigKind;
  yaml: string;
  version: number;
  clientName: string;
  settings: ClientSettings;
  /** Used unless the client’s settings name another. */
  origin: string;
  key: string;
}

const titles: Record<ConfigKind, string> = {
  client: 'What collectors need',
  auditbeat: 'Auditbeat',
  filebeat: 'Filebeat',
  packetbeat: 'Packetbeat',
  winlogbeat: 'Winlogbeat',
  rsyslog: 'rsyslog',
};
export const titleOf = (kind: ConfigKind) => titles[kind];

export function fileOf(parts: FileDeps): string {
  const origin = parts.settings.address || parts.origin;
  // Names are user input: a line end would begin a line of the file.
  const name = parts.clientName.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  const head = [
    `# ${titles[parts.kind]}${name && ` · ${name}`} · ${parts.version === 0 ? 'the standard configuration' : `version ${parts.version}`}`,
    '# It holds a key: only its collector should be able to read it.',
    '',
  ];
  const body =
    parts.kind === 'client'
      ? collectionLines(parts, origin)
      : parts.kind === 'rsyslog'
        ? rsyslogLines(parts, origin)
        : beatLines(parts.kind, parts, origin);
  return `${[...head, ...body].join('\n')}\n`;
}

/** Quotes a text for YAML, whose double quotes are JSON’s. */
const quoted = (text: string) => JSON.stringify(text);

/** Uses dotted paths: Beats merge them with a section of the same name above. */
function beatLines(_kind: BeatKind, { yaml, settings, key }: FileDeps, origin: string): string[] {
  const { text, hasTags } = withTags(yaml, settings.tags);
  return [
    ...lines(text.replace(/\s*$/, '')),
    '',
    '# Added by the portal: where to send, and with which key.',
    ...(hasTags || settings.tags.length === 0 ? [] : [`tags: [${settings.tags.map(quoted).join(', ')}]`]),
    `output.elasticsearch.hosts: [${quoted(withPort(origin))}]`,
    'output.elasticsearch.path: /ingest',
    'output.elasticsearch.username: beats',
    `output.elasticsearch.password: ${quoted(key)}`,
    ...(settings.proxy ? [`output.elasticsearch.proxy_url: ${quoted(settings.proxy)}`] : []),
    ...(settings.certificate_authority
      ? [`output.elasticsearch.ssl.certificate_authorities: [${quoted(settings.certificate_authority)}]`]
      : []),
    'setup.template.enabled: false',
    'setup.ilm.enabled: false',
  ];
}

/** Merges the client’s tags with the configuration’s own, which are then rewritten. */
function withTags(yaml: string, tags: readonly string[]): { text: string; hasTags: boolean } {
  if (tags.length === 0) return { text: yaml, hasTags: false };
  const document = parseDocument(yaml, reading);
  if (document.errors.length > 0 || !document.has('tags')) return { text: yaml, hasTags: false };
  const own = document.get('tags', true) as unknown;
  const items = isSeq(own) ? own.items : [own];
  const texts = items.flatMap((item) => (isScalar(item) && item.value !== null ? [String(item.value)] : []));
  document.set('tags', [...new Set([...texts, ...tags])]);
  return { text: document.toString({ lineWidth: 0 }), hasTags: true };
}

function rsyslogLines({ yaml, settings, key }: FileDeps, origin: string): string[] {
  const { local, files, listen, buffer_megabytes } = ownSettings.rsyslog.parse(parse(yaml, reading) ?? {});
  const { templates, action } = rsyslogOutput(origin, key, {
    more: settings.tags.length > 0 ? [`constant(outname="tags" value="${settings.tags.join(',')}" format="jsonf")`] : [],
    options: [
      'action.resumeinterval="5"',
      ...(origin.startsWith('https:') ? ['usehttps="on"'] : []),
      ...(settings.certificate_authority ? [`tls.cacert="${settings.certificate_authority}"`] : []),
      // Buffers on disk while the portal is unreachable.
      `queue.type="linkedlist" queue.filename="portal" queue.maxdiskspace="${buffer_megabytes}m" queue.saveonshutdown="on" queue.dequeuebatchsize="500"`,
    ],
  });
  const modules = [
    'omelasticsearch',
    ...(files.length > 0 ? ['imfile'] : []),
    ...[...new Set(listen.map(({ protocol }) => `im${protocol}`))],
  ];
  return [
    ...modules.map((module) => `module(load="${module}")`),
    ...templates,
    'ruleset(name="portal") {',
    ...action.map((line) => `  ${line}`),
    '}',
    ...files.map(({ path, program }) => `input(type="imfile" File="${path}" Tag="${program}:" ruleset="portal")`),
    ...listen.map(
      ({ protocol, port, address }) =>
        `input(type="im${protocol}" port="${port}"${address ? ` address="${address}"` : ''} ruleset="portal")`,
    ),
    ...(local ? [`if prifilt("${local}") then call portal`] : []),
  ];
}

function collectionLines({ settings, key }: FileDeps, origin: string): string[] {
  const { collectors, tags, certificate_authority, proxy } = settings;
  const fetched = collectors.filter((each) => each !== 'agent') as ConfigKind[];
  return [
    `address: ${quoted(origin)}`,
    `intake: ${quoted(`${withPort(origin)}/ingest`)}`,
    `key: ${quoted(key)}`,
    `collectors: [${collectors.join(', ')}]`,
    `tags: [${tags.map(quoted).join(', ')}]`,
    `certificate_authority: ${quoted(certificate_authority)}`,
    `proxy: ${quoted(proxy)}`,
    ...(fetched.length > 0 ? ['', '# A host fetches its file with:'] : []),
    ...fetched.flatMap((kind) => {
      const { command, windowsCommand } = commandsFor(kind, origin, key, settings);
      return [command, windowsCommand].filter(Boolean).map((line) => `# ${line}`);
    }),
  ];
}

export const fileNameOf = (kind: ConfigKind): string =>
  kind === 'client' ? 'collection.yml' : kind === 'rsyslog' ? '90-portal.conf' : `${kind}.yml`;

/**
 * Commands by which a host fetches its newest file, one line each: the file is checked before it replaces the previous one.
 */
export function commandsFor(
  kind: ConfigKind,
  defaultOrigin: string,
  key: string,
  settings: ClientSettings,
): { command: string; windowsCommand: string } {
  const address = `${settings.address || defaultOrigin}/ingest/config/${kind}`;
  const ways = `${settings.certificate_authority ? ` --cacert '${settings.certificate_authority}'` : ''}${settings.proxy ? ` --proxy '${settings.proxy}'` : ''}`;
  const fetch = `curl -fsS${ways} -H 'Authorization: ApiKey ${key}' '${address}'`;
  if (kind === 'client') return { command: `(umask 077; ${fetch} -o collection.yml)`, windowsCommand: '' };
  const title = titles[kind];
  const folder = `C:\\Program Files\\${title}`;
  const windowsCommand = [
    "$ErrorActionPreference='Stop'",
    `Invoke-WebRequest -UseBasicParsing -Uri '${address}' -Headers @{Authorization='ApiKey ${key}'}${settings.proxy ? ` -Proxy '${settings.proxy}'` : ''} -OutFile '${folder}\\new.yml'`,
    `& '${folder}\\${kind}.exe' test config -c '${folder}\\new.yml'`,
    `if ($LASTEXITCODE -eq 0) { Move-Item -Force '${folder}\\new.yml' '${folder}\\${kind}.yml'; Restart-Service ${kind} }`,
  ].join('; ');
  if (kind === 'winlogbeat') return { command: '', windowsCommand };
  const place = kind === 'rsyslog' ? '/etc/rsyslog.d/90-portal.conf' : `/etc/${kind}/${kind}.yml`;
  // Restarts nothing that could not read its file; rsyslog reads all of its files together.
  const change =
    kind === 'rsyslog'
      ? `mv ${place}.new ${place} && rsyslogd -N1`
      : `${kind} test config -c ${place}.new && mv ${place}.new ${place}`;
  const command = `sudo sh -c "umask 077; ${fetch} -o ${place}.new && ${change} && systemctl restart ${kind}"`;
  return { command, windowsCommand: kind === 'rsyslog' ? '' : windowsCommand };
}
