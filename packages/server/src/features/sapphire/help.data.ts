/** Instructions for the portal’s functions, as in its FAQ and help texts. Existing functions only. */
export interface HelpEntry {
  title: string;
  /** Phrasings of the question. */
  questions: readonly string[];
  steps: readonly string[];
  /** Page of the function. */
  path: string;
}

export const helpEntries: readonly HelpEntry[] = [
  {
    title: 'Sources of alerts',
    questions: ['where do the alerts come from', 'how are alerts made', 'how does detection work', 'what raises an alert'],
    steps: [
      'Your devices and services send their logs.',
      'Detection rules read every event as it arrives; when one matches, an alert is raised.',
      'Each alert shows the rule, the fields that matched and the event itself.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'Severities',
    questions: [
      'what do the severities mean',
      'what does critical mean',
      'what is a high alert',
      'meaning of severity levels',
      'difference between high and critical severity',
    ],
    steps: [
      'Critical: act now, an attack is likely under way.',
      'High: investigate today. Medium: investigate this week.',
      'Low: worth knowing. Informational: context, no action needed.',
    ],
    path: '/pages/faq',
  },
  {
    title: 'Alert counts',
    questions: [
      'why does an alert have a count',
      'what is the number on an alert',
      'what does folding mean',
      'why are alerts counted',
    ],
    steps: [
      'When the same rule fires again for the same device and user within a short time, it increases the count of the existing alert instead of raising another one.',
    ],
    path: '/pages/faq',
  },
  {
    title: 'Search',
    questions: [
      'how do I find a device',
      'how do I search',
      'how do I find an alert',
      'where is the search',
      'how can I look up a user',
      'search the portal',
    ],
    steps: [
      'Press Ctrl K on any page and type a name or a number.',
      'The search finds pages, alerts, data sources, users, rules and organisations that you can access.',
      'In a list, / leads to its own search.',
    ],
    path: '/apps/dashboard',
  },
  {
    title: 'Data sources',
    questions: ['what is a data source', 'what are data sources', 'meaning of data source'],
    steps: [
      'Anything that sends events or appears in them: servers, workstations, network devices, productivity suites, cloud platforms and cloud applications.',
    ],
    path: '/apps/devices',
  },
  {
    title: 'Connecting a new source',
    questions: [
      'how do I connect a new source',
      'how do I make an ingest key',
      'how to send logs',
      'connect a firewall',
      'set up syslog',
      'how do I send logs with rsyslog',
      'add a data source',
      'connect microsoft 365',
      'where is the ingest key',
    ],
    steps: [
      'An administrator opens Settings, Administration, Client details, Ingest keys and creates an ingest key.',
      'It is shown once, with the lines to paste into Beats or rsyslog.',
      'Events appear within seconds.',
    ],
    path: '/apps/clientdetails/ingest-keys',
  },
  {
    title: 'Tags',
    questions: [
      'what are tags for',
      'how do I tag a device',
      'how do I add a tag',
      'mark a system as critical',
      'how can I group devices',
      'tag devices',
    ],
    steps: [
      'Tags group data sources, such as a site or a critical system.',
      'Select data sources in the list and press Tag.',
      'Filter by the tag afterwards.',
    ],
    path: '/apps/devices',
  },
  {
    title: 'Retention',
    questions: [
      'how long is everything kept',
      'how long are alerts kept',
      'retention',
      'how long do you keep events',
      'when are logs deleted',
      'data retention period',
    ],
    steps: [
      'By default: events for 30 days, alerts with the events that raised them for 13 months, daily figures for 5 years.',
      'Client details, Retention, shows your settings.',
    ],
    path: '/apps/clientdetails/retention',
  },
  {
    title: 'Time zone',
    questions: [
      'which time zone do I see',
      'how do I change the time zone',
      'change to 24 hour clock',
      'times are wrong',
      'set my timezone',
    ],
    steps: [
      'Times use your browser’s zone, or the one selected under Settings, Time, where you also select 12 or 24 hours.',
      'Rest the pointer on a time to see it in full.',
    ],
    path: '/apps/settings?tab=time',
  },
  {
    title: 'Appearance',
    questions: [
      'how do I change the theme',
      'dark mode',
      'switch to a light theme',
      'change how the portal looks',
      'change the layout',
      'how do I turn on dark mode',
      'change colours',
    ],
    steps: [
      'Open Settings, Look: 26 themes, light and dark, position of navigation and toolbar, page width and density.',
      'It is saved with your account and applies wherever you sign in.',
    ],
    path: '/apps/settings?tab=look',
  },
  {
    title: 'Inviting a colleague',
    questions: [
      'how do I invite a colleague',
      'how do I add a user',
      'create a new user',
      'add a new account for a colleague',
      'give somebody access to the portal',
      'invite a user',
    ],
    steps: [
      'Administrators add users under Settings, Administration, Users.',
      'An invitation leads to a page where your colleague chooses a password that no one else sees.',
    ],
    path: '/apps/users',
  },
  {
    title: 'MFA on a new phone',
    questions: [
      'I have a new phone how do I move my second factor',
      'how do I reset mfa',
      'lost my authenticator',
      'set up two factor again',
      'reset my 2fa',
      'I changed my phone',
    ],
    steps: [
      'While you can still sign in: Settings, Second factor, Reset MFA.',
      'The next sign-in sets up the new device.',
      'If you can no longer sign in, contact us.',
    ],
    path: '/apps/settings?tab=second-factor',
  },
  {
    title: 'Changing the password',
    questions: [
      'how do I change my password',
      'change password',
      'where can I set a new password',
      'I forgot my password',
      'reset my password',
    ],
    steps: [
      'Open your profile from the user menu and choose Change password: 12 to 64 characters with an upper-case and a lower-case letter, a number and a symbol.',
      'If you forgot it, use the link on the sign-in page: an email leads to a page where you choose a new one.',
    ],
    path: '/apps/profile',
  },
  {
    title: 'Unknown sign-ins',
    questions: [
      'I see a sign-in that I do not know',
      'someone else signed in to my account',
      'where do I see my sessions',
      'end other sign-ins',
      'unknown session',
    ],
    steps: [
      'End it under Settings, Sign-ins, then change your password on your profile: that ends all other sign-ins too.',
      'Then tell your administrator.',
    ],
    path: '/apps/settings?tab=sign-ins',
  },
  {
    title: 'API keys',
    questions: [
      'can a program ask the portal',
      'how do I make an api key',
      'where are api keys',
      'is there an api',
      'create an api token',
    ],
    steps: [
      'Create an API key under Settings, API keys: it has your permissions or fewer, expires, and can be revoked at any time.',
    ],
    path: '/apps/settings?tab=api-keys',
  },
  {
    title: 'Keyboard shortcuts',
    questions: ['can I work with the keyboard', 'keyboard shortcuts', 'which shortcuts are there', 'hotkeys'],
    steps: ['Press ? on any page for the list of keys: g a goes to the alerts, j and k move in a list, Enter opens, / searches.'],
    path: '/pages/faq',
  },
  {
    title: 'Exporting a list',
    questions: [
      'how do I export alerts',
      'download cases as csv',
      'export to excel',
      'how do I get a csv',
      'how can I export the list of cases',
      'download the list',
    ],
    steps: [
      'Open the list, filter it as you need it, and press Export: you get a CSV file of the filtered rows.',
      'Export a case as PDF or JSON on its own page.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'Saved views',
    questions: ['how do I save a view', 'save my filters', 'keep a filter for later', 'share a view with my team', 'saved views'],
    steps: [
      'Filter a list, open Views above it and save it under a name.',
      'A view is private or shared with your organisation.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'Isolating a device',
    questions: [
      'how do I isolate a device',
      'how do I cut a machine off the network',
      'how can I quarantine a host',
      'how to isolate a laptop',
      'how do I block a user',
      'how do I disable an account',
    ],
    steps: [
      'Open Response, or the case, and request the isolation of a device or the block of a user.',
      'Where an approval rule applies, a different person approves it first.',
      'With the agent it runs automatically and is verified; otherwise a user executes and confirms it.',
    ],
    path: '/apps/response',
  },
  {
    title: 'Suppressing alerts',
    questions: [
      'how do I suppress an alert',
      'how do I mute a noisy rule',
      'make an exception',
      'stop an alert from opening cases',
      'how do I silence a rule',
      'create a suppression',
    ],
    steps: [
      'Select alerts in the list and press Suppress, or open Suppressions.',
      'A suppression has a reason and an end; its alerts join no case, but stay in the list.',
    ],
    path: '/apps/exceptions',
  },
  {
    title: 'Closing a case',
    questions: [
      'how do I close a case',
      'how do I change the status of a case',
      'how can I mark a case as resolved',
      'reopen a case',
      'how do I assign a case',
    ],
    steps: [
      'Open the case and choose its status; the list shows the possible next ones.',
      'An escalated case closes as Escalated: Closed; a closed one reopens as investigating.',
    ],
    path: '/apps/cases',
  },
  {
    title: 'Mail subscriptions',
    questions: [
      'how do I get mails about cases',
      'how do I subscribe to notifications',
      'stop sending me mails',
      'email notifications',
      'unsubscribe from mails',
      'daily digest mail',
    ],
    steps: [
      'Open Mail subscriptions and choose which emails and digests you receive.',
      'Every email also has an unsubscribe link.',
    ],
    path: '/apps/mailsubscriptions',
  },
  {
    title: 'Case percentage',
    questions: ['what is the case percentage', 'what does the percentage of a case mean', 'how is the case score computed'],
    steps: [
      'It is the case’s score against your malicious threshold, from 0 to 100: each rule of the case counts once by its criticality, repeats a little more, each further tactic a tenth more.',
    ],
    path: '/apps/cases',
  },
  {
    title: 'Risk score',
    questions: [
      'how is the risk score computed',
      'how is the risk score calculated',
      'what does the risk score mean',
      'what goes into the risk score',
      'what is the risk score made of',
      'explain the risk score formula',
    ],
    steps: [
      'It ranges from 100 to 1,000; lower is better.',
      'Three tenths each come from devices that do not report, missing best practices, and open cases.',
    ],
    path: '/apps/risk-score',
  },
  {
    title: 'Searching events',
    questions: ['how do I search the logs', 'where can I see raw events', 'search raw logs', 'how do I look at events'],
    steps: ['Open Event search, choose at most 31 days and enter a search.', 'A result shows the complete stored event.'],
    path: '/apps/events',
  },
  {
    title: 'Submitting knowledge',
    questions: ['how do I teach you something', 'how do I submit knowledge', 'can you learn', 'how can I train sapphire'],
    steps: [
      'Open the training form in this panel and write a text, or a question with its answer.',
      'It is used after an administrator’s approval. Administrators decide who can submit knowledge.',
    ],
    path: '/apps/settings?tab=administration',
  },
  {
    title: 'Switching clients',
    questions: [
      'how do I switch clients',
      'how do I choose another client',
      'see another client',
      'change the client',
      'where is the client selector',
    ],
    steps: ['Staff choose the client in the toolbar; All combines them.', 'The selection is remembered for 30 days.'],
    path: '/apps/dashboard',
  },
];
