/** How things are done in the portal, as its own help texts say it (the FAQ, the pages' own words). Only about what exists. */
export interface HelpEntry {
  title: string;
  /** How people ask for it. */
  asks: readonly string[];
  steps: readonly string[];
  /** Where it is done. */
  path: string;
}

export const helpEntries: readonly HelpEntry[] = [
  {
    title: 'Where alerts come from',
    asks: ['where do the alerts come from', 'how are alerts made', 'how does detection work', 'what raises an alert'],
    steps: [
      'Your devices and services send their logs.',
      'Detection rules read every event as it arrives; when one matches, an alert is raised.',
      'Each alert shows the rule, the fields that matched and the event itself.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'What the severities mean',
    asks: [
      'what do the severities mean',
      'what does critical mean',
      'what is a high alert',
      'meaning of severity levels',
      'difference between high and critical severity',
    ],
    steps: [
      'Critical: act now, an attack is likely under way.',
      'High: look at it today. Medium: look at it this week.',
      'Low: worth knowing. Informational: context, no action needed.',
    ],
    path: '/pages/faq',
  },
  {
    title: 'Why an alert has a count',
    asks: [
      'why does an alert have a count',
      'what is the number on an alert',
      'what does folding mean',
      'why are alerts counted',
    ],
    steps: [
      'When the same rule fires again for the same device and user within a short time, it is counted on the alert that is there already instead of raising another one.',
    ],
    path: '/pages/faq',
  },
  {
    title: 'Finding one alert, device or user',
    asks: [
      'how do I find a device',
      'how do I search',
      'how do I find an alert',
      'where is the search',
      'how can I look up a user',
      'search the portal',
    ],
    steps: [
      'Press Ctrl K on any page and type a name or a number.',
      'The search finds pages, alerts, data sources, users, rules and organisations that you may see.',
      'In a list, / leads to its own search.',
    ],
    path: '/apps/dashboard',
  },
  {
    title: 'What a data source is',
    asks: ['what is a data source', 'what are data sources', 'meaning of data source'],
    steps: [
      'Whatever sends events or is spoken of in them: servers, workstations, network devices, productivity suites, cloud platforms and cloud applications.',
    ],
    path: '/apps/devices',
  },
  {
    title: 'Connecting a new source',
    asks: [
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
      'An administrator opens Settings, Administration, Client details, Ingest keys and makes an ingest key.',
      'It is shown once, with the lines to paste into Beats or rsyslog.',
      'Events appear within seconds.',
    ],
    path: '/apps/clientdetails/ingest-keys',
  },
  {
    title: 'Tags',
    asks: [
      'what are tags for',
      'how do I tag a device',
      'how do I add a tag',
      'mark a system as critical',
      'how can I group devices',
      'tag devices',
    ],
    steps: [
      'Tags mark data sources that belong together, such as a site or a critical system.',
      'Select data sources in the list and press Tag.',
      'Filter by the tag afterwards.',
    ],
    path: '/apps/devices',
  },
  {
    title: 'How long everything is kept',
    asks: [
      'how long is everything kept',
      'how long are alerts kept',
      'retention',
      'how long do you keep events',
      'when are logs deleted',
      'data retention period',
    ],
    steps: [
      'Unless your organisation chose otherwise: events for 30 days, alerts with the events that raised them for 13 months, daily figures for 5 years.',
      'Client details, Retention, says what holds for you.',
    ],
    path: '/apps/clientdetails/retention',
  },
  {
    title: 'Time zone',
    asks: [
      'which time zone do I see',
      'how do I change the time zone',
      'change to 24 hour clock',
      'times are wrong',
      'set my timezone',
    ],
    steps: [
      'Times are your browser’s, or of the zone that you choose under Settings, Time; there you also choose between 12 and 24 hours.',
      'Rest the pointer on a time to see it in full.',
    ],
    path: '/apps/settings?tab=time',
  },
  {
    title: 'How the portal looks',
    asks: [
      'how do I change the theme',
      'dark mode',
      'switch to a light theme',
      'change how the portal looks',
      'change the layout',
      'how do I turn on dark mode',
      'change colours',
    ],
    steps: [
      'Open Settings, Look: 26 themes, light and dark, where the navigation and the toolbar stand, how wide pages are and how close rows are.',
      'It is kept with your account and shows on every machine that you sign in on.',
    ],
    path: '/apps/settings?tab=look',
  },
  {
    title: 'Inviting a colleague',
    asks: [
      'how do I invite a colleague',
      'how do I add a user',
      'create a new user',
      'add a new account for a colleague',
      'give somebody access to the portal',
      'invite a user',
    ],
    steps: [
      'Administrators add users under Settings, Administration, Users.',
      'An invitation leads to a page where your colleague chooses a password; nobody else ever sees it.',
    ],
    path: '/apps/users',
  },
  {
    title: 'A new phone for the second factor',
    asks: [
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
      'If you cannot sign in any more, contact us.',
    ],
    path: '/apps/settings?tab=second-factor',
  },
  {
    title: 'Changing the password',
    asks: [
      'how do I change my password',
      'change password',
      'where can I set a new password',
      'I forgot my password',
      'reset my password',
    ],
    steps: [
      'Open your profile from the user menu and choose Change password: 12 to 64 characters with an upper-case and a lower-case letter, a number and a symbol.',
      'If you forgot it, use the link on the sign-in page: a mail leads to a page where you choose a new one.',
    ],
    path: '/apps/profile',
  },
  {
    title: 'A sign-in that you do not know',
    asks: [
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
    asks: [
      'can a program ask the portal',
      'how do I make an api key',
      'where are api keys',
      'is there an api',
      'create an api token',
    ],
    steps: [
      'Make an API key under Settings, API keys: it has your rights or fewer, ends by itself, and can be revoked at any time.',
    ],
    path: '/apps/settings?tab=api-keys',
  },
  {
    title: 'Working with the keyboard',
    asks: ['can I work with the keyboard', 'keyboard shortcuts', 'which shortcuts are there', 'hotkeys'],
    steps: ['Press ? on any page for the list of keys: g a goes to the alerts, j and k move in a list, Enter opens, / searches.'],
    path: '/pages/faq',
  },
  {
    title: 'Exporting a list',
    asks: [
      'how do I export alerts',
      'download cases as csv',
      'export to excel',
      'how do I get a csv',
      'how can I export the list of cases',
      'download the list',
    ],
    steps: [
      'Open the list, filter it as you need it, and press Export: you get a CSV file with what the filters leave.',
      'A case is also there as PDF and JSON, on its own page.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'Saved views',
    asks: ['how do I save a view', 'save my filters', 'keep a filter for later', 'share a view with my team', 'saved views'],
    steps: [
      'Filter a list, open Views above it and save it under a name.',
      'A view is your own, or shared with your organisation.',
    ],
    path: '/apps/alerts',
  },
  {
    title: 'Isolating a device',
    asks: [
      'how do I isolate a device',
      'how do I cut a machine off the network',
      'how can I quarantine a host',
      'how to isolate a laptop',
      'how do I block a user',
      'how do I disable an account',
    ],
    steps: [
      'Open Response, or the case, and ask for the isolation of a device or the block of a user.',
      'Where an approval rule applies, somebody else approves it first.',
      'With our agent it is done by itself and called done once it was seen; else a person does it and confirms.',
    ],
    path: '/apps/response',
  },
  {
    title: 'Suppressing alerts',
    asks: [
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
    path: '/apps/suppressions',
  },
  {
    title: 'Closing a case',
    asks: [
      'how do I close a case',
      'how do I change the status of a case',
      'how can I mark a case as resolved',
      'reopen a case',
      'how do I assign a case',
    ],
    steps: [
      'Open the case and choose its status; the list shows what may follow the present one.',
      'An escalated case closes as Escalated: Closed; a closed one is opened again as investigating.',
    ],
    path: '/apps/cases',
  },
  {
    title: 'Mail subscriptions',
    asks: [
      'how do I get mails about cases',
      'how do I subscribe to notifications',
      'stop sending me mails',
      'email notifications',
      'unsubscribe from mails',
      'daily digest mail',
    ],
    steps: ['Open Mail subscriptions and choose which mails and digests you get.', 'Every mail also has a link that ends them.'],
    path: '/apps/mailsubscriptions',
  },
  {
    title: 'Case percentage',
    asks: ['what is the case percentage', 'what does the percentage of a case mean', 'how is the case score computed'],
    steps: [
      'It is the case’s score against your malicious threshold, from 0 to 100: each rule of the case counts once by its criticality, repeats a little more, each further tactic a tenth more.',
    ],
    path: '/apps/cases',
  },
  {
    title: 'How the risk score is computed',
    asks: [
      'how is the risk score computed',
      'how is the risk score calculated',
      'what does the risk score mean',
      'what goes into the risk score',
      'what is the risk score made of',
      'explain the risk score formula',
    ],
    steps: [
      'It goes from 100 to 1,000; lower is better.',
      'Three tenths each come from devices that do not report, best practices that are not done, and open cases.',
    ],
    path: '/apps/risk-score',
  },
  {
    title: 'Searching events',
    asks: ['how do I search the logs', 'where can I see raw events', 'search raw logs', 'how do I look at events'],
    steps: [
      'Open Event search, choose at most 31 days and say what you look for.',
      'A hit shows the whole event as it was stored.',
    ],
    path: '/apps/events',
  },
  {
    title: 'Teaching me',
    asks: ['how do I teach you something', 'how do I submit knowledge', 'can you learn', 'how can I train sapphire'],
    steps: [
      'Open the training form in this panel and write a text, or a question with its answer.',
      'It is used after an administrator approved it. Whoever may submit knowledge is allowed by an administrator.',
    ],
    path: '/apps/settings?tab=administration',
  },
  {
    title: 'Switching clients',
    asks: [
      'how do I switch clients',
      'how do I choose another client',
      'see another client',
      'change the client',
      'where is the client selector',
    ],
    steps: ['Staff choose the client in the toolbar; All shows all of them together.', 'It is remembered for 30 days.'],
    path: '/apps/dashboard',
  },
];
