/** Instructions from the product’s own help texts, and an overview of the skills. */
import { helpEntries } from '../help.data.ts';
import { helpFor } from '../understanding/intents.ts';
import { actionRequest } from '../understanding/understand.ts';
import { type Facts, plain, type Skill } from './facts.ts';
import { path } from './links.ts';

const platformSteps = {
  windows: {
    title:
      'Windows: by Winlogbeat. The portal has no agent for Windows; Elastic’s Winlogbeat sends its event logs, and responses there are manual.',
    steps: [
      'Install Winlogbeat from Elastic in C:\\Program Files\\Winlogbeat.',
      'Open Agent, Install and keys, and press “File and PowerShell command”.',
      'Download winlogbeat.yml there. It contains the portal’s address and its own key.',
      'Or run the PowerShell command as administrator. It downloads and verifies the file, then restarts Winlogbeat.',
      'The host appears under Collectors automatically.',
    ],
  },
  linux: {
    title:
      'Linux: the portal’s agent. It collects logs, reports the inventory, and executes responses; for x86-64 and ARM64 with systemd.',
    steps: [
      'Open Agent, Install and keys, and create an enrolment token. It is shown once, inside the install command.',
      'Run the command on each host as root or with sudo.',
      'The host appears under Collectors automatically.',
    ],
  },
  macos: {
    title: 'macOS: the portal has no agent for it. Filebeat or Auditbeat send its logs; responses there are manual.',
    steps: [
      'Install Filebeat or Auditbeat from Elastic.',
      'Open Agent, Install and keys, and download the file of that Beat: it holds the portal’s address and a key of its own.',
      'Put it in place and start the Beat; the host appears under Collectors automatically.',
    ],
  },
} as const;

const numbered = (steps: readonly string[]) => (steps.length === 1 ? steps : steps.map((step, index) => `${index + 1}. ${step}`));

export const installAgent: Skill = async (context): Promise<Facts> => {
  const { platform } = context.slots;
  const [client = 0] = context.clients;
  const shown = platform ? [platform] : (['windows', 'linux', 'macos'] as const);
  return {
    text: [
      ...shown.flatMap((each) => [platformSteps[each].title, ...numbered(platformSteps[each].steps)]),
      'Administrators create tokens and keys; if you see none, ask yours.',
    ].join('\n'),
    sources: [{ text: 'Agent: Install and keys', path: path('/apps/agents', { client: client || undefined, tab: 'install' }) }],
    choices: (['Windows', 'Linux', 'macOS'] as const)
      .filter((name) => name.toLowerCase() !== platform)
      .map((name) => `How do I install the agent on ${name}?`),
  };
};

export const howTo: Skill = async (context): Promise<Facts> => {
  const isWish = actionRequest.test(context.question.trim());
  const entry =
    helpEntries[
      helpFor(
        isWish
          ? `how do I ${context.question.replace(/^(?:please|can you|could you|would you|will you)\s+/i, '')}`
          : context.question,
      ) ?? -1
    ];
  if (!entry)
    return {
      text: isWish
        ? 'I can’t make changes; use the portal’s pages.'
        : 'The help has no article on that. See the FAQ for common questions.',
      sources: [{ text: 'FAQ', path: '/pages/faq' }],
      choices: helpEntries.slice(0, 5).map(({ asks }) => `${asks[0]?.charAt(0).toUpperCase()}${asks[0]?.slice(1)}?`),
    };
  return {
    text: [...(isWish ? ['I can’t make changes, but here is how.'] : []), `${entry.title}:`, ...numbered(entry.steps)].join('\n'),
    sources: [{ text: plain(entry.title), path: entry.path }],
    choices: ['What can you do?'],
  };
};

export const capabilities: Skill = async (): Promise<Facts> => ({
  text: [
    'I answer from the portal’s data within your permissions, and link each figure to its source. For example:',
    'Cases and alerts: counts, lists, trends, by severity, state, device, user, rule or technique; the summary of a case, the explanation of an alert.',
    'Top entities: the most common alerts, devices, users and techniques; the riskiest device and why.',
    'Posture: risk score and its improvements, vulnerabilities by priority, coverage and blind spots, response state and times.',
    'Over time: changes since a day, comparisons of two periods, weekly summaries.',
    'And how to use the portal, such as installing the agent. I can’t make changes.',
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
