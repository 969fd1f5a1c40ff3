/**
 * Best practices of the risk score. An ID never changes its meaning, because clients' answers are stored under it. The controls are those of
 * NIST SP 800-53, revision 5.
 */
export interface BestPractice {
  id: string;
  name: string;
  /** Reason, and how to verify it. */
  explanation: string;
  nistControlID: string;
  nistControlName: string;
}

const practice = (id: string, name: string, control: string, explanation: string): BestPractice => {
  const [nistControlID = '', ...words] = control.split(' ');
  return { id, name, explanation, nistControlID, nistControlName: words.join(' ') };
};

export const bestPractices: readonly BestPractice[] = [
  practice(
    'mfa',
    'Second factor for everybody',
    'IA-2 Identification and Authentication (Organizational Users)',
    'A stolen password alone opens nothing. Done when mail, remote access and cloud consoles refuse a sign-in without a second factor, for every account.',
  ),
  practice(
    'admin-accounts',
    'Separate accounts for administration',
    'AC-6 Least Privilege',
    'Who reads mail with administrator rights hands them to the first attachment. Done when nobody’s daily account has administrator rights, and those who need them have a second account.',
  ),
  practice(
    'account-reviews',
    'Accounts are reviewed',
    'AC-2 Account Management',
    'Accounts of people who left are used by others. Done when leavers are locked the same day and all accounts are looked through every quarter.',
  ),
  practice(
    'passwords',
    'Long passwords, checked against known ones',
    'IA-5 Authenticator Management',
    'Passwords from breaches are tried everywhere. Done when the directory asks for at least 12 characters and refuses those that are in lists of stolen ones.',
  ),
  practice(
    'patching',
    'Updates within fixed times',
    'SI-2 Flaw Remediation',
    'Most break-ins use flaws that have an update. Done when critical updates are on every system within 14 days, and somebody checks.',
  ),
  practice(
    'inventory',
    'An inventory of all systems',
    'CM-8 System Component Inventory',
    'What nobody knows of, nobody protects. Done when every server and workstation stands in one list with an owner, and the list is compared with what reports here.',
  ),
  practice(
    'endpoint-protection',
    'Protection on every endpoint',
    'SI-3 Malicious Code Protection',
    'Malware is stopped where it starts. Done when protection runs on every server and workstation and users cannot switch it off.',
  ),
  practice(
    'backups',
    'Backups apart from the network',
    'CP-9 System Backup',
    'Ransomware encrypts the backups it can reach. Done when one copy cannot be reached or changed with the accounts of the network.',
  ),
  practice(
    'restore-tests',
    'Restoring is practised',
    'CP-10 System Recovery and Reconstitution',
    'A backup that was never restored is a hope. Done when an important system was restored from it in the last six months.',
  ),
  practice(
    'mail-filter',
    'Mail is filtered, senders are proved',
    'SI-8 Spam Protection',
    'Most attacks begin with a mail. Done when attachments and links are checked, and SPF, DKIM and a DMARC policy of quarantine or reject are set.',
  ),
  practice(
    'training',
    'People are trained',
    'AT-2 Literacy Training and Awareness',
    'Who knows how a trick looks reports it. Done when everybody is trained once a year and knows where to report a suspicious mail.',
  ),
  practice(
    'segmentation',
    'The network is divided',
    'SC-7 Boundary Protection',
    'One infected machine should not reach all. Done when servers, workstations, guests and machines stand in networks of their own with rules between them.',
  ),
  practice(
    'remote-access',
    'Remote access is guarded',
    'AC-17 Remote Access',
    'Remote desktops that face the internet are guessed open. Done when remote access goes through a gateway with a second factor, and no desktop or administration port can be reached from outside.',
  ),
  practice(
    'encryption',
    'Disks are encrypted',
    'SC-28 Protection of Information at Rest',
    'A lost laptop is then only a lost laptop. Done when every portable device is encrypted and the keys are kept centrally.',
  ),
  practice(
    'logs',
    'Logs are kept and collected',
    'AU-6 Audit Record Review, Analysis, and Reporting',
    'What is not recorded cannot be found. Done when servers, sign-ins, firewalls and cloud services send their logs here.',
  ),
  practice(
    'response-plan',
    'A plan for incidents',
    'IR-8 Incident Response Plan',
    'In an emergency there is no time to look for telephone numbers. Done when a written plan names who decides and who is called, and it was rehearsed in the last year.',
  ),
];
