/** Seeded rules shaped like SigmaHQ's. */
import { between, pick, type Random, seeded } from '../detections/testing/benign/random.ts';
import { BINARIES, FOLDERS, hex, rare, word } from './detect.words.ts';

const some = <T>(random: Random, list: readonly T[], count: number): T[] =>
  Array.from({ length: count }, () => pick(random, list));

const flag = (random: Random): string => ` ${pick(random, ['-', '/', '--'])}${word(random)}${pick(random, [' ', '', '='])}`;
const phrase = (random: Random): string =>
  pick(random, [
    flag,
    rare,
    rare,
    (r: Random) => `${word(r)} ${word(r)}`,
    (r: Random) => `.${word(r)}(`,
    (r: Random) => `\\${word(r)}\\${rare(r)}`,
  ])(random);
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const list = (texts: string[], indent: string): string => texts.map((text) => `\n${indent}- ${quoted(text)}`).join('');

interface Kind {
  weight: number;
  source: string;
  make: (random: Random) => string;
}

function values(random: Random, key: string, max: number, make: (random: Random) => string): string {
  const count = between(random, 1, max);
  return count === 1
    ? `        ${key}: ${quoted(make(random))}\n`
    : `        ${key}:${list(
        some(
          random,
          Array.from({ length: count }, () => make(random)),
          count,
        ),
        '            ',
      )}\n`;
}

function processRule(random: Random): string {
  const binary = pick(random, BINARIES);
  const shape = random();
  const image = `    selection_img:\n        - Image|endswith: ${quoted(`\\${binary}.exe`)}\n        - OriginalFileName: ${quoted(`${binary}.exe`)}\n`;
  const line = `    selection_cli:\n${values(random, 'CommandLine|contains', 6, phrase)}`;
  const all = `    selection_all:\n        CommandLine|contains|all:${list(some(random, [phrase(random), phrase(random), flag(random), word(random)], 3), '            ')}\n`;
  const filter = `    filter_main_known:\n        ParentImage|startswith: ${quoted(pick(random, FOLDERS))}\n        ParentImage|endswith: ${quoted(`\\${pick(random, BINARIES)}.exe`)}\n`;
  if (shape < 0.45) return `${image}${line}    condition: all of selection_*\n`;
  if (shape < 0.6) return `${image}${all}${filter}    condition: all of selection_* and not 1 of filter_main_*\n`;
  if (shape < 0.72) return `    selection:\n${values(random, 'CommandLine|contains', 12, rare)}    condition: selection\n`;
  if (shape < 0.82)
    return `    selection:\n${values(random, 'ParentImage|endswith', 5, (r) => `\\${pick(r, BINARIES)}.exe`)}${values(random, 'Image|endswith', 8, (r) => `\\${pick(r, BINARIES)}.exe`)}    filter_a:\n        CommandLine|contains: ${quoted(phrase(random))}\n    condition: selection and not filter_a\n`;
  if (shape < 0.88)
    return `    selection:\n${values(random, 'Image|endswith', 3, (r) => `\\${rare(r)}.exe`)}    condition: selection\n`;
  if (shape < 0.92)
    return `    selection:\n${values(random, 'Hashes|contains', 12, (r) => `IMPHASH=${hex(r, 32)}`)}    condition: selection\n`;
  if (shape < 0.96)
    return `    selection:\n${values(random, 'CommandLine|windash|contains', 3, flag)}${image}    condition: all of selection*\n`;
  return `${image}    selection_re:\n        CommandLine|re: ${quoted(`(?i)${word(random)}[^ ]{0,8}${word(random)}\\s+[a-z0-9+/=]{20,}`)}\n    condition: all of selection_*\n`;
}

const KINDS: Kind[] = [
  { weight: 50, source: 'category: process_creation', make: processRule },
  {
    weight: 10,
    source: 'category: registry_set',
    make: (r) =>
      `    selection:\n${values(r, 'TargetObject|contains', 4, (q) => `\\${word(q)}\\${rare(q)}`)}${r() < 0.5 ? `        Details: 'DWORD (0x0000000${between(r, 0, 9)})'\n` : values(r, 'Details|contains', 4, rare)}    condition: selection\n`,
  },
  {
    weight: 9,
    source: 'category: ps_script',
    make: (r) =>
      `    selection:\n${values(r, r() < 0.4 ? 'ScriptBlockText|contains|all' : 'ScriptBlockText|contains', 6, rare).replace('|all: ', ': ')}    condition: selection\n`,
  },
  {
    weight: 8,
    source: 'category: file_event',
    make: (r) =>
      `    selection:\n${values(r, 'TargetFilename|endswith', 8, (q) => `\\${rare(q)}.${pick(q, ['exe', 'dll', 'ps1', 'bat'])}`)}    condition: selection\n`,
  },
  {
    weight: 5,
    source: 'category: image_load',
    make: (r) =>
      `    selection:\n${values(r, 'ImageLoaded|endswith', 5, (q) => `\\${rare(q)}.dll`)}    filter:\n${values(r, 'Image|startswith', 4, (q) => pick(q, FOLDERS))}    condition: selection and not filter\n`,
  },
  {
    weight: 3,
    source: 'category: network_connection',
    make: (r) =>
      `    selection:\n        Initiated: 'true'\n${values(r, 'Image|endswith', 4, (q) => `\\${pick(q, BINARIES)}.exe`)}${values(r, 'DestinationHostname|contains', 6, (q) => `${rare(q)}.com`)}    filter:\n        DestinationIp|cidr:\n            - '10.0.0.0/8'\n            - '127.0.0.0/8'\n    condition: selection and not filter\n`,
  },
  {
    weight: 2,
    source: 'category: dns_query',
    make: (r) => `    selection:\n${values(r, 'QueryName|endswith', 5, (q) => `${rare(q)}.net`)}    condition: selection\n`,
  },
  {
    weight: 1,
    source: 'category: process_access',
    make: (r) =>
      `    selection:\n        TargetImage|endswith: '\\lsass.exe'\n        GrantedAccess: '0x${hex(r, 4)}'\n    condition: selection\n`,
  },
  {
    weight: 1,
    source: 'category: pipe_created',
    make: (r) => `    selection:\n${values(r, 'PipeName|startswith', 4, (q) => `\\${rare(q)}`)}    condition: selection\n`,
  },
  {
    weight: 7,
    source: 'service: security',
    make: (r) =>
      `    selection:\n        EventID: ${pick(r, [4624, 4625, 4657, 4662, 4663, 4672, 4697, 4698, 4720, 4728, 4732, 4738, 4742, 4768, 4769, 4776, 5136, 5140, 5145])}\n${values(r, pick(r, ['ObjectName|contains', 'TargetUserName|endswith', 'ServiceName', 'RelativeTargetName|endswith', 'TicketOptions']), 4, rare)}    condition: selection\n`,
  },
  {
    weight: 4,
    source: 'service: system',
    make: (r) =>
      `    selection:\n        Provider_Name: 'Service Control Manager'\n        EventID: 7045\n${values(r, 'ImagePath|contains', 5, rare)}    condition: selection\n`,
  },
];

/** Returns `count` rules, one per file. */
export function* ruleFiles(count: number): Generator<{ file: string; text: string }> {
  const random = seeded(7);
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (let i = 0; i < count; i++) {
    let at = random() * total;
    const kind =
      KINDS.find(({ weight }) => {
        at -= weight;
        return at < 0;
      }) ?? KINDS[0]!;
    yield {
      file: `rule-${i}.yml`,
      text: `title: Rule ${i}\nid: ${i}\nstatus: test\nlogsource:\n    product: windows\n    ${kind.source}\ndetection:\n${kind.make(random)}level: medium\n`,
    };
  }
}
