/** Activities of ATT&CK techniques and tactics as verb phrases in the past tense, for readers who are no analysts. */

export interface Phrase {
  did: string;
  /** `source`: the address in front acts, and the user of the alert is the aim. */
  by?: 'source';
  /** Preposition of the alert’s account, which is the aim. */
  account?: 'of' | 'to' | 'as';
  /** Preposition of the remote end, where an event names one. */
  remote?: 'from' | 'with' | 'to';
}

const sourced = (did: string): Phrase => ({ did, by: 'source' });
const onAccount = (did: string, account: 'of' | 'to' | 'as'): Phrase => ({ did, by: 'source', account });
const remote = (did: string, preposition: 'from' | 'with' | 'to'): Phrase => ({ did, remote: preposition });
const plain = (did: string): Phrase => ({ did });

/** A guessed password and its use. */
const guessed = onAccount('guessed a password and signed in', 'as');

/** By technique or sub-technique; a sub-technique without its own phrase has its technique’s. */
const byTechnique: Readonly<Record<string, Phrase>> = {
  T1595: sourced('scanned systems for weaknesses'),
  T1190: sourced('attacked a program that is reachable from the internet'),
  T1110: onAccount('tried to guess passwords', 'of'),
  'T1110.003': sourced('tried one password on many accounts'),
  T1621: onAccount('sent repeated sign-in prompts', 'to'),
  T1566: plain('received a message that looks like phishing'),
  T1189: plain('visited a harmful web page'),
  T1133: plain('came in through remote access'),
  T1078: plain('signed in with an existing account in an unusual way'),
  'T1078.004': plain('signed in to a cloud account in an unusual way'),
  T1199: plain('came in through a trusted partner’s access'),
  T1091: plain('ran a program from a removable drive'),
  T1059: plain('ran commands or scripts'),
  'T1059.001': plain('ran PowerShell commands'),
  'T1059.004': plain('ran shell commands'),
  T1204: plain('opened a harmful file'),
  T1203: plain('opened content that exploited a program'),
  T1047: plain('ran a program through Windows management'),
  T1569: plain('ran a program as a service'),
  T1053: plain('set up a scheduled task'),
  T1106: plain('ran a program through system calls'),
  T1559: plain('ran a program through another one'),
  T1610: plain('started a container'),
  T1098: plain('changed the rights of an account'),
  'T1098.004': plain('added a key for signing in'),
  T1136: plain('created an account'),
  T1543: plain('installed a service that starts automatically'),
  T1546: plain('set up a program that starts on an event'),
  T1547: plain('set up a program that starts with the system'),
  T1037: plain('set up a script that runs at sign-in'),
  T1505: plain('changed a server component'),
  'T1505.003': plain('used a web shell'),
  T1556: plain('changed how sign-ins are checked'),
  T1574: plain('made a program load a foreign library'),
  T1137: plain('set up a program that starts with Office'),
  T1197: plain('used the system’s transfer service for a download or start'),
  T1068: plain('exploited a weakness to gain higher rights'),
  T1548: plain('obtained higher rights'),
  T1134: plain('acted with the rights of another account'),
  T1484: plain('changed the policies of the domain'),
  T1611: plain('broke out of a container'),
  T1055: plain('put code into another program'),
  T1562: plain('weakened security software or logging'),
  'T1562.004': plain('changed the firewall'),
  T1070: plain('removed traces'),
  'T1070.001': plain('cleared event logs'),
  T1036: plain('disguised a program as another'),
  T1027: plain('used hidden or encoded commands'),
  T1140: plain('decoded a hidden file or command'),
  T1112: plain('changed the registry'),
  T1218: plain('ran code through a program of the system'),
  T1202: plain('ran commands through another program'),
  T1216: plain('ran code through a script of the system'),
  T1127: plain('ran code through a development tool'),
  T1220: plain('ran a script through a document filter'),
  T1564: plain('hid files or activity'),
  T1553: plain('weakened the checks of trust'),
  T1222: plain('changed the rights of files'),
  T1620: plain('ran a program from memory only'),
  T1014: plain('hid activity in the system’s core'),
  T1207: plain('registered a false domain controller'),
  T1006: plain('read a disk past its protection'),
  T1003: plain('read stored passwords'),
  T1555: plain('read saved passwords'),
  T1552: plain('searched for passwords and keys'),
  T1558: plain('requested or forged sign-in tickets'),
  T1557: plain('intercepted sign-ins'),
  T1187: plain('made a machine sign in elsewhere'),
  T1539: plain('took session cookies'),
  T1528: plain('obtained access tokens'),
  T1606: plain('forged sign-in tokens'),
  T1649: plain('obtained a certificate for signing in'),
  T1056: plain('recorded input'),
  T1040: plain('listened to network traffic'),
  T1212: plain('exploited a weakness to obtain passwords'),
  T1087: plain('listed accounts'),
  T1069: plain('listed groups and their members'),
  T1033: plain('looked up who is signed in'),
  T1018: plain('searched for other machines'),
  T1046: sourced('scanned machines for open services'),
  T1135: plain('searched for shared folders'),
  T1482: plain('looked up trusts between domains'),
  T1082: plain('looked up details of the system'),
  T1016: plain('looked up the network settings'),
  T1049: plain('listed network connections'),
  T1057: plain('listed running programs'),
  T1083: plain('searched files and folders'),
  T1518: plain('listed installed software'),
  T1012: plain('read the registry'),
  T1615: plain('read the policies of the domain'),
  T1526: plain('listed cloud services'),
  T1613: plain('listed containers'),
  T1021: plain('connected to another machine'),
  'T1021.001': plain('opened a remote desktop'),
  'T1021.002': plain('used the administrative shares of another machine'),
  T1550: plain('signed in with a stolen token or hash'),
  T1563: plain('took over another session'),
  T1570: plain('copied tools to another machine'),
  T1210: plain('exploited a service of another machine'),
  T1534: plain('sent suspicious messages to colleagues'),
  T1080: plain('placed a program in a shared folder'),
  T1005: plain('collected files'),
  T1039: plain('collected files from shared folders'),
  T1074: plain('gathered data in one place'),
  T1113: plain('took pictures of the screen'),
  T1115: plain('read the clipboard'),
  T1119: plain('collected data automatically'),
  T1123: plain('recorded sound'),
  T1125: plain('recorded video'),
  T1114: plain('read or forwarded email'),
  'T1114.003': plain('set up a rule that forwards or hides email'),
  T1213: plain('collected documents of the organisation'),
  T1530: plain('read files in cloud storage'),
  T1560: plain('packed data into an archive'),
  T1185: plain('took over a browser session'),
  T1071: remote('exchanged data with a remote system in a suspicious way', 'with'),
  T1090: remote('routed traffic through another system', 'with'),
  T1095: remote('exchanged data over an unusual protocol', 'with'),
  T1102: remote('used a public web service for remote control', 'with'),
  T1105: remote('downloaded a tool or file', 'from'),
  T1219: remote('used remote-control software', 'with'),
  T1568: remote('looked up changing addresses of a remote system', 'with'),
  T1571: remote('exchanged data over an unusual port', 'with'),
  T1572: remote('built a tunnel', 'to'),
  T1573: remote('exchanged encrypted data with a remote system', 'with'),
  T1048: remote('sent data out over an unusual way', 'to'),
  T1041: remote('sent data out', 'to'),
  T1020: remote('sent data out automatically', 'to'),
  T1052: plain('copied data to a removable drive'),
  T1567: remote('sent data to a web service', 'to'),
  T1485: plain('destroyed data'),
  T1486: plain('encrypted data'),
  T1489: plain('stopped services'),
  T1490: plain('removed backups or recovery options'),
  T1491: plain('replaced content'),
  T1496: plain('used the machine’s computing power'),
  T1498: sourced('flooded the network'),
  T1499: sourced('overloaded a service'),
  T1531: plain('locked people out of accounts'),
  T1561: plain('erased a disk'),
  T1565: plain('altered data'),
};

/** By tactic’s short name: for rules whose technique has no phrase, and the stage that it means. */
const byTactic: Readonly<Record<string, { phrase: Phrase; stage: string }>> = {
  reconnaissance: { phrase: sourced('gathered information from outside'), stage: 'scanning from outside' },
  'resource-development': { phrase: plain('prepared tools for an attack'), stage: 'preparation' },
  'initial-access': { phrase: plain('gained access in a suspicious way'), stage: 'getting in' },
  execution: { phrase: plain('ran suspicious programs or commands'), stage: 'running programs' },
  persistence: { phrase: plain('prepared to stay'), stage: 'preparing to stay' },
  'privilege-escalation': { phrase: plain('sought higher rights'), stage: 'gaining higher rights' },
  'defense-evasion': { phrase: plain('avoided detection'), stage: 'avoiding detection' },
  'credential-access': { phrase: plain('sought passwords or keys'), stage: 'obtaining passwords or keys' },
  discovery: { phrase: plain('explored the environment'), stage: 'exploring the environment' },
  'lateral-movement': { phrase: plain('moved towards other machines'), stage: 'moving to other machines' },
  collection: { phrase: plain('gathered data'), stage: 'gathering data' },
  'command-and-control': {
    phrase: remote('exchanged data with a remote system in a suspicious way', 'with'),
    stage: 'remote control',
  },
  exfiltration: { phrase: remote('moved data out', 'to'), stage: 'moving data out' },
  impact: { phrase: plain('damaged systems or data'), stage: 'damage to systems or data' },
};

/** Phrase of a rule by its techniques, then by its tactics; undefined for a rule without either. */
export function phraseOf(techniques: readonly string[], tactics: readonly string[]): Phrase | undefined {
  const has = (technique: string) => techniques.some((id) => id.startsWith(technique));
  if (has('T1110') && has('T1078')) return guessed;
  for (const id of techniques) {
    const phrase = own(byTechnique, id) ?? own(byTechnique, id.replace(/\..*$/, ''));
    if (phrase) return phrase;
  }
  return tactics.map((tactic) => own(byTactic, tactic)?.phrase).find((phrase) => phrase !== undefined);
}

/** Stage of an attack that a tactic means, as a noun. */
export const stageOf = (tactic: string): string | undefined => own(byTactic, tactic)?.stage;

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
