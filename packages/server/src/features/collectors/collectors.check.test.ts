import { beatKinds, type ConfigKind, configKinds } from '@parapet/contract/collectors.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMap, parse, parseAllDocuments } from 'yaml';
import { check, maxLength } from './collectors.check.ts';
import { defaults } from './collectors.defaults.ts';
import { commandsFor, fileOf } from './collectors.file.ts';
import { ownSettings } from './collectors.own.ts';

const settings = (given: object = {}) => ownSettings.client.parse(given);
const file = (kind: ConfigKind, yaml: string, given: object = {}, clientName = 'Alder') =>
  fileOf({ kind, yaml, version: 1, clientName, settings: settings(given), origin: 'https://portal.example', key: 'pk_abc' });
const messagesOf = (kind: ConfigKind, yaml: string) =>
  check(kind, yaml).map(({ line, path, text, isError }) => `${isError ? 'error' : 'warning'} ${line} ${path}: ${text}`);

describe('checkConfig', () => {
  test.each(configKinds)('accepts the default configuration of %s', (kind) => {
    expect(messagesOf(kind, defaults[kind])).toEqual([]);
    expect(messagesOf(kind, '')).toEqual([]);
    expect(messagesOf(kind, '# nothing\n')).toEqual([]);
  });

  test.each<[string, ConfigKind, string, string[]]>([
    [
      'a misspelt section',
      'filebeat',
      'filebeat.inputs: []\nprocesors: []\n',
      ['error 2 procesors: There is no documented setting "procesors" here. Is it "processors"?'],
    ],
    [
      'a misspelt key beneath',
      'filebeat',
      'filebeat:\n  inputs:\n    - type: filestream\n      id: a\n      path:\n        - /a\n',
      ['warning 5 filebeat.inputs.0.path: There is no documented setting "path" here. Is it "paths"?'],
    ],
    [
      'an input without its type',
      'filebeat',
      'filebeat.inputs:\n  - paths: [/a]\n',
      ['error 2 filebeat.inputs.0: This has no "type:". Write one.'],
    ],
    [
      'an unknown type',
      'packetbeat',
      'packetbeat.protocols:\n  - type: htp\n    ports: [80]\n',
      ['warning 2 packetbeat.protocols.0.type: There is no documented kind "htp" here. Is it "http"?'],
    ],
    [
      'one path where a list is meant',
      'auditbeat',
      'auditbeat.modules:\n  - module: file_integrity\n    paths: /etc\n',
      ['error 3 auditbeat.modules.0.paths: This must be a list: one item a line, each after a dash.'],
    ],
    [
      'values of the wrong kind',
      'packetbeat',
      'packetbeat.protocols:\n  - type: dns\n    ports: [70000]\n    send_request: maybe\n    transaction_timeout: soon\n',
      [
        'error 3 packetbeat.protocols.0.ports.0: This must be a whole number from 0 to 65535.',
        'error 4 packetbeat.protocols.0.send_request: This must be true or false.',
        'error 5 packetbeat.protocols.0.transaction_timeout: "soon" is no duration. Write it like 30s, 5m or 72h.',
      ],
    ],
    [
      'where it sends',
      'winlogbeat',
      'output.elasticsearch.hosts: [evil.example]\noutput.logstash:\n  hosts: [x]\ncloud.id: x\n',
      [
        'error 1 output.elasticsearch.hosts: The portal adds this when the file is downloaded. Take the line out.',
        'error 2 output.logstash: Collectors of this portal send to it alone. Take this section out.',
        'error 4 cloud.id: Collectors of this portal send to it alone. Take this section out.',
      ],
    ],
    [
      'how it sends',
      'filebeat',
      'output:\n  elasticsearch:\n    worker: 2\n    compression_level: 5\n    ssl.verification_mode: full\n',
      [],
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the Beat’s own variables
    ['variables of the host', 'filebeat', 'path.data: ${path.home}/data\nmax_procs: ${CPUS}\n', []],
    [
      'a secret in plain sight',
      'filebeat',
      'filebeat.inputs:\n  - type: httpjson\n    request.url: https://a\n    auth.oauth2.client.secret: abc\n',
      [
        'warning 4 filebeat.inputs.0.auth.oauth2.client.secret: Everyone who can read this configuration can read this secret. Keep it in the Beat’s keystore, and write its name there as a variable.',
      ],
    ],
    ['the same key twice', 'filebeat', 'name: a\nname: b\n', ['error 2 : "name" stands here twice. Keep one of them.']],
    [
      'what an anchor brings where it may not stand',
      'filebeat',
      'fields: &x\n  logstash: {hosts: [evil]}\noutput: *x\nname: &n output.elasticsearch.hosts\n*n : [evil]\n<<: {cloud.id: x}\n',
      [
        'error 2 output.logstash: Collectors of this portal send to it alone. Take this section out.',
        'error 5 : The name of a setting is one plain word.',
        'error 6 cloud.id: Collectors of this portal send to it alone. Take this section out.',
      ],
    ],
    [
      'two documents',
      'filebeat',
      'name: a\n---\nname: b\n',
      ['error 3 : A file holds one configuration. Remove the line "---".'],
    ],
    ['braces', 'filebeat', '{name: a}\n', ['error 1 : Write one setting a line, each with its name and a colon.']],
    ['no settings at all', 'filebeat', 'hello\n', ['error 1 : Write one setting a line, each with its name and a colon.']],
    [
      'everything further in',
      'filebeat',
      '  name: a\n',
      ['error null : The portal’s lines cannot be put below this. Begin each setting at the left edge, and end with one.'],
    ],
    [
      'an invisible character',
      'filebeat',
      'name: a\ntags: [a\u0000b]\n',
      ['error 2 : This line has an invisible character. Retype the line.'],
    ],
    [
      'rsyslog: what is not known, or more than a path',
      'rsyslog',
      'locl: "*.*"\nfiles:\n  - path: /var/log/a"\n    program: a\n  - path: /b\n    program: "x\\" action(type=omprog"\n',
      [
        'error 1 locl: There is no setting "locl".',
        'error 3 files.0.path: Write a path from the root, such as /var/log/nginx/access.log.',
        'error 6 files.1.program: A program’s name has letters, digits and . / _ -, at most 48 of them.',
      ],
    ],
    [
      'the client: an address that is more than one',
      'client',
      "address: \"https://a.example/x'; rm -rf /\"\ntags: ['a b']\n",
      [
        'error 1 address: Write where collectors reach the portal, such as https://portal.example, or nothing.',
        'error 2 tags.0: A tag has letters, digits and . : / _ -, at most 60 of them.',
      ],
    ],
  ])('%s', (_name, kind, yaml, expected) => {
    expect(messagesOf(kind, yaml)).toEqual(expected);
  });

  test('reports the line of broken YAML', () => {
    const problems = check('filebeat', 'filebeat.inputs:\n  - type: log\n paths: [\n');
    expect(problems[0]).toMatchObject({ line: 3, isError: true });
  });

  test.each([
    ['deep brackets', `name: ${'['.repeat(20_000)}`],
    ['deep lines', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    [
      'many settings',
      Array.from({ length: 15_000 }, (_, n) => `a${n}:`)
        .join('\n')
        .slice(0, maxLength),
    ],
    [
      'aliases of aliases',
      `a: &a [x,x,x,x]\n${Array.from('bcdefghij', (name, n) => `${name}: &${name} [${`*${'abcdefghij'[n]},`.repeat(9)}]`).join('\n')}`,
    ],
    ['too long', '#'.repeat(maxLength + 1)],
    ['an endless key', `${'a.'.repeat(40_000)}b: 1`],
    ['prototype', '__proto__:\n  polluted: 1\nconstructor: {}\n'],
  ])('rejects hostile input quickly: %s', (_name, yaml) => {
    const begun = performance.now();
    for (const kind of configKinds) expect(check(kind, yaml).some(({ isError }) => isError)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(6_000);
  });
});

describe('the complete file', () => {
  test.each(beatKinds)('contains the portal’s lines once as valid YAML: %s', (kind) => {
    const whole = file(kind, defaults[kind], {
      tags: ['alder'],
      proxy: 'http://proxy:3128',
      certificate_authority: '/etc/ca.pem',
    });
    expect(parse(whole)).toMatchObject({
      'output.elasticsearch.hosts': ['https://portal.example:443'],
      'output.elasticsearch.path': '/ingest',
      'output.elasticsearch.password': 'pk_abc',
      'output.elasticsearch.proxy_url': 'http://proxy:3128',
      'output.elasticsearch.ssl.certificate_authorities': ['/etc/ca.pem'],
      tags: ['alder'],
    });
  });

  test('merges the tags of both and uses the client’s address', () => {
    const whole = parse(file('filebeat', '# why\ntags: [web]\n', { tags: ['alder', 'web'], address: 'http://10.0.0.5:8080' }));
    expect(whole).toMatchObject({ tags: ['web', 'alder'], 'output.elasticsearch.hosts': ['http://10.0.0.5:8080'] });
  });

  test('escapes line ends in names', () => {
    expect(file('filebeat', '', {}, 'Alder\noutput.console: {}\u2028x')).not.toMatch(/^output\.console/m);
  });

  test('contains inputs, rules for the own log and one output for rsyslog', () => {
    const text = file(
      'rsyslog',
      'local: auth,authpriv.*\nfiles:\n  - path: /var/log/nginx/access.log\n    program: nginx\nlisten:\n  - {protocol: udp, port: 514}\n',
      { tags: ['a', 'b'] },
    );
    expect(text).toContain('input(type="imfile" File="/var/log/nginx/access.log" Tag="nginx:" ruleset="portal")');
    expect(text).toContain('input(type="imudp" port="514" ruleset="portal")');
    expect(text).toContain('if prifilt("auth,authpriv.*") then call portal');
    expect(text).toContain('constant(outname="tags" value="a,b" format="jsonf")');
    expect(text.match(/omelasticsearch"/g)).toHaveLength(2);
  });

  // Accepted configurations can be completed, and send to the portal alone.
  test('keeps accepted text out of the portal’s lines', () => {
    const piece = fc.constantFrom(
      ...[
        'name: a',
        'tags:',
        '  - x',
        'fields: |',
        '  text',
        'fields: >-',
        '"',
        "'",
        '#',
        '...',
        '---',
        '- a',
        '  b: 1',
        '? x',
        ': y',
        '&a',
        '*a',
      ],
      ...[
        'logging.level: info',
        'output.elasticsearch:',
        '  worker: 1',
        '  hosts: [x]',
        '!!str',
        '{',
        '}',
        '[',
        '%YAML 1.2',
        '\t',
        ' ',
        'fields: "a',
      ],
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const yaml = pieces.join('\n');
        if (check('filebeat', yaml).some(({ isError }) => isError)) return;
        accepted++;
        const documents = parseAllDocuments(file('filebeat', yaml, { tags: ['t'] }));
        if (!Array.isArray(documents)) throw new Error('empty');
        expect(documents).toHaveLength(1);
        const [document] = documents;
        expect(document?.errors).toEqual([]);
        expect(isMap(document?.contents)).toBe(true);
        expect(document?.get('output.elasticsearch.password')).toBe('pk_abc');
        expect(document?.get('setup.ilm.enabled')).toBe(false);
        expect(document?.hasIn(['output.elasticsearch', 'hosts'])).toBe(false);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test('provides one-line commands with key and address, for Windows where supported', () => {
    const of = (kind: ConfigKind) => commandsFor(kind, 'https://portal.example', 'pk_abc', settings());
    expect(of('filebeat').command).toContain("'https://portal.example/ingest/config/filebeat' -o /etc/filebeat/filebeat.yml.new");
    expect(of('winlogbeat')).toMatchObject({ command: '', windowsCommand: expect.stringContaining("'ApiKey pk_abc'") });
    expect(of('rsyslog').windowsCommand).toBe('');
    for (const kind of configKinds) expect(Object.values(of(kind)).join('')).not.toMatch(/\n/);
  });
});
