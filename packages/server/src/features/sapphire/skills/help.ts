/** How things are done here, from the product's own help texts; and what can be asked at all. */
import { helpEntries } from '../help.data.ts';
import { helpFor } from '../understanding/intents.ts';
import { wish } from '../understanding/understand.ts';
import { type Facts, plain, type Skill } from './facts.ts';
import { path } from './links.ts';

const platformSteps = {
  windows: {
    title:
      'Windows: by Winlogbeat. There is no agent of ours for Windows; its event logs come by Elastic’s Winlogbeat, and responses there are done by a person.',
    steps: [
      'Install Winlogbeat from Elastic in C:\\Program Files\\Winlogbeat.',
      'Open Agent, Install and keys, and press “File and PowerShell command”.',
      'Download winlogbeat.yml there. It contains the portal’s address and its own key.',
      'Or run the PowerShell command as administrator. It downloads and verifies the file, then restarts Winlogbeat.',
      'The host appears under Collectors automatically.',
    ],
  },
  linux: {
    title: 'Linux: our agent. It collects, keeps the inventory, and carries out responses; for x86-64 and ARM64 with systemd.',
    steps: [
      'Open Agent, Install and keys, and create an enrolment token. It is shown once, inside the install command.',
      'Run the command on each host as root or with sudo.',
      'The host appears under Collectors automatically.',
    ],
  },
  macos: {
    title: 'macOS: there is no agent of ours for it. Filebeat or Auditbeat send its logs; responses there are done by a person.',
    steps: [
      'Install Filebeat or Auditbeat from Elastic.',
      'Open Agent, Install and keys, and download the file of that Beat: it holds the portal’s address and a key of its own.',
      'Put it in place and start the Beat; the host appears under Collectors by itself.',
    ],
  },
} as const;

const numbered = (steps: readonly string[]) => (steps.length === 1 ? steps : steps.map((step, index) => `${index + 1}. ${step}`));

export const installAgent: Skill = async (asking): Promise<Facts> => {
  const { platform } = asking.slots;
  const [client = 0] = asking.clients;
  const shown = platform ? [platform] : (['windows', 'linux', 'macos'] as const);
  return {
    text: [
      ...shown.flatMap((each) => [platformSteps[each].title, ...numbered(platformSteps[each].steps)]),
      'Tokens and keys are made by administrators; if you see none, ask yours.',
    ].join('\n'),
    sources: [{ text: 'Agent: Install and keys', path: path('/apps/agents', { client: client || undefined, tab: 'install' }) }],
    choices: (['Windows', 'Linux', 'macOS'] as const)
      .filter((name) => name.toLowerCase() !== platform)
      .map((name) => `How do I install the agent on ${name}?`),
  };
};

export const howTo: Skill = async (asking): Promise<Facts> => {
  const isWish = wish.test(asking.question.trim());
  const entry =
    helpEntries[
      helpFor(
        isWish
          ? `how do I ${asking.question.replace(/^(?:please|can you|could you|would you|will you)\s+/i, '')}`
          : asking.question,
      ) ?? -1
    ];
  if (!entry)
    return {
      text: isWish
        ? 'I change nothing; that is done on the pages, by people.'
        : 'The help has no text on that. The FAQ has answers to what is asked most.',
      sources: [{ text: 'FAQ', path: '/pages/faq' }],
      choices: helpEntries.slice(0, 5).map(({ asks }) => `${asks[0]?.charAt(0).toUpperCase()}${asks[0]?.slice(1)}?`),
    };
  return {
    text: [
      ...(isWish ? ['I change nothing myself; this is how it is done.'] : []),
      `${entry.title}:`,
      ...numbered(entry.steps),
    ].join('\n'),
    sources: [{ text: plain(entry.title), path: entry.path }],
    choices: ['What can you do?'],
  };
};

export const capabilities: Skill = async (): Promise<Facts> => ({
  text: [
    'I answer from this portal’s own data, for what you may see, and say where each number stands. For example:',
    'Cases and alerts: counts, lists, trends, by severity, state, device, user, rule or technique; one case summed up, one alert explained.',
    'What stands out: the most common alerts, devices, users and techniques; the riskiest device and why.',
    'How you stand: risk score and what would lower it, vulnerabilities by priority, coverage and blind spots, response state and times.',
    'Over time: what changed since a day, two periods compared, a week in words.',
    'And how things are done here, such as installing the agent. I change nothing.',
  ].join('\n'),
  sources: [{ text: 'FAQ', path: '/pages/faq' }],
  choices: [
    'Which device is the biggest risk?',
    'How many open cases do we have?',
    'What would lower our risk score?',
    'What changed since yesterday?',
    'What are our blind spots?',
    'Summarise the last seven days',
  ],
});
