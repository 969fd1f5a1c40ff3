/** Instructions from the product’s own help texts, and an overview of the skills. */
import { allClients } from '@parapet/contract/access.ts';
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { addressOf } from '../../../domain/query/entities/columns.ts';
import { helpEntries } from '../help.data.ts';
import { findHelp } from '../help.search.ts';
import { type Facts, plain, type Skill, sentence } from './facts.ts';

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
  const [client = allClients] = context.clients;
  const shown = platform ? [platform] : (['windows', 'linux', 'macos'] as const);
  return {
    text: [
      ...shown.flatMap((each) => [platformSteps[each].title, ...numbered(platformSteps[each].steps)]),
      'Administrators create tokens and keys; if you see none, ask yours.',
    ].join('\n'),
    sources: [
      { text: 'Agent: Install and keys', path: addressOf('/apps/agents', { client: client || undefined, tab: 'install' }) },
    ],
    choices: (['Windows', 'Linux', 'macOS'] as const)
      .filter((name) => name.toLowerCase() !== platform)
      .map((name) => `How do I install the agent on ${name}?`),
  };
};

export const howTo: Skill = async (context): Promise<Facts> => {
  const entry = findHelp(context.question);
  if (!entry)
    return {
      text: 'I can’t answer that: the help has no article on it. See the FAQ for common questions.',
      sources: [{ text: 'FAQ', path: '/pages/faq' }],
      isUnknown: true,
      choices: helpEntries.slice(0, 5).map(({ questions }) => `${sentence(questions[0] ?? '')}?`),
    };
  return {
    text: [`${entry.title}, from the help:`, ...numbered(entry.steps)].join('\n'),
    sources: [{ text: plain(entry.title), path: entry.path }],
    choices: ['What can you do?'],
  };
};

export const capabilities: Skill = async (): Promise<Facts> => ({
  text: [
    'I count, list, group and compare what the portal’s lists show, within your permissions, and link each figure to its rows. For example:',
    'Cases, alerts, devices, users, rules, techniques, vulnerabilities, responses, reviews, suppressions, collectors, events, reports and emails.',
    'With filters, exclusions, times, weekdays and comparisons: “alerts on weekends last month, without low ones, by client”.',
    'Shares, means and extremes: “share of cases closed by a person”, “mean time to close”, “oldest open case”.',
    'The summary of a case, the explanation of an alert, summaries of a period, improvements of the risk score.',
    'And how to use the portal, such as installing the agent. I can’t make changes.',
  ].join('\n'),
  sources: [{ text: 'FAQ', path: '/pages/faq' }],
  choices: [...suggestedQuestions, 'What would lower our risk score?', 'What changed since yesterday?'].slice(0, 6),
});
