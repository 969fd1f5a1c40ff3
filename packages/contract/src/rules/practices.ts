/**
 * Best practices of the risk score. An ID never changes its meaning, because clients' responses are stored under it. The controls are those of
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
    'MFA for all users',
    'IA-2 Identification and Authentication (Organizational Users)',
    'A stolen password alone is not enough to sign in. Done when email, remote access and cloud consoles require MFA for every account.',
  ),
  practice(
    'admin-accounts',
    'Separate administrator accounts',
    'AC-6 Least Privilege',
    'Malware runs with the rights of the user who opens it. Done when no daily account has administrator rights, and administrators use a second account.',
  ),
  practice(
    'account-reviews',
    'Regular account reviews',
    'AC-2 Account Management',
    'Accounts of former employees are an easy entry point. Done when leavers are locked out the same day and all accounts are reviewed every quarter.',
  ),
  practice(
    'passwords',
    'Long passwords, checked against breaches',
    'IA-5 Authenticator Management',
    'Passwords from breaches are tried everywhere. Done when the directory requires at least 12 characters and rejects passwords known from breaches.',
  ),
  practice(
    'patching',
    'Updates within fixed deadlines',
    'SI-2 Flaw Remediation',
    'Most intrusions exploit flaws that have an update. Done when critical updates are on every system within 14 days, and compliance is verified.',
  ),
  practice(
    'inventory',
    'Inventory of all systems',
    'CM-8 System Component Inventory',
    'Unknown systems stay unprotected. Done when every server and workstation is in one inventory with an owner, and the inventory is compared with the devices that report here.',
  ),
  practice(
    'endpoint-protection',
    'Protection on every endpoint',
    'SI-3 Malicious Code Protection',
    'Malware is stopped where it starts. Done when protection runs on every server and workstation and users cannot disable it.',
  ),
  practice(
    'backups',
    'Offline backups',
    'CP-9 System Backup',
    'Ransomware encrypts the backups it can reach. Done when one copy cannot be reached or changed with network accounts.',
  ),
  practice(
    'restore-tests',
    'Regular restore tests',
    'CP-10 System Recovery and Reconstitution',
    'An untested backup is not reliable. Done when an important system was restored from backup in the last six months.',
  ),
  practice(
    'mail-filter',
    'Email filtering and sender authentication',
    'SI-8 Spam Protection',
    'Most attacks begin with an email. Done when attachments and links are scanned, and SPF, DKIM and a DMARC policy of quarantine or reject are set.',
  ),
  practice(
    'training',
    'Security awareness training',
    'AT-2 Literacy Training and Awareness',
    'Trained users recognise and report phishing. Done when all users are trained once a year and know where to report a suspicious email.',
  ),
  practice(
    'segmentation',
    'Network segmentation',
    'SC-7 Boundary Protection',
    'One infected host should not reach all others. Done when servers, workstations, guests and machines are on separate networks with rules between them.',
  ),
  practice(
    'remote-access',
    'Protected remote access',
    'AC-17 Remote Access',
    'Exposed remote desktops are brute-forced. Done when remote access uses a gateway with MFA, and no desktop or administration port is reachable from the internet.',
  ),
  practice(
    'encryption',
    'Disk encryption',
    'SC-28 Protection of Information at Rest',
    'The data of a lost laptop stays protected. Done when every portable device is encrypted and the keys are stored centrally.',
  ),
  practice(
    'logs',
    'Central log collection',
    'AU-6 Audit Record Review, Analysis, and Reporting',
    'Unlogged activity cannot be detected. Done when servers, sign-ins, firewalls and cloud services send their logs here.',
  ),
  practice(
    'response-plan',
    'Incident response plan',
    'IR-8 Incident Response Plan',
    'An emergency leaves no time to look up contacts. Done when a written plan names decision makers and contacts, and was rehearsed in the last year.',
  ),
];
