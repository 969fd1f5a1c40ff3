/** Collectors and connectors that bring a log source of rules, by the titles of their pages. */

/** Categories of Windows that Sysmon alone writes. */
const ofSysmon = new Set([
  'file_event',
  'file_delete',
  'file_change',
  'file_executable_detected',
  'registry_event',
  'registry_set',
  'registry_add',
  'registry_delete',
  'image_load',
  'driver_load',
  'network_connection',
  'process_access',
  'process_tampering',
  'pipe_created',
  'dns_query',
  'create_remote_thread',
  'create_stream_hash',
  'raw_access_thread',
  'clipboard_change',
  'wmi_event',
]);
/** Parts of Linux that its log daemon writes. */
const ofLogs = new Set(['syslog', 'auth', 'sshd', 'sudo', 'cron', 'vsftpd', 'clamav', 'guacamole', 'modsecurity']);

const byName = new Map<string, readonly string[]>(
  Object.entries({
    'm365 / audit': ['Microsoft 365'],
    'aws / cloudtrail': ['AWS CloudTrail'],
    'aws / guardduty': ['AWS GuardDuty'],
    azure: ['Microsoft Entra ID'],
    okta: ['Okta'],
    github: ['GitHub'],
    google_workspace: ['Google Workspace'],
    crowdstrike: ['CrowdStrike Falcon'],
    sentinelone: ['SentinelOne'],
    defender_endpoint: ['Microsoft Defender for Endpoint'],
    m365_defender: ['Microsoft Defender XDR'],
    dns: ['Packetbeat'],
    network_connection: ['Packetbeat'],
    firewall: ['Syslog'],
    proxy: ['Syslog', 'Filebeat'],
    webserver: ['Filebeat'],
    linux: ['Agent', 'Filebeat', 'rsyslog'],
  }),
);

/** Empty for a log source that none is known to bring. @param logSource product, category and service, as in "windows / process_creation" */
export function connectorsOf(logSource: string): readonly string[] {
  const [product = '', ...rest] = logSource.split(' / ');
  if (product === 'windows') {
    if (rest.includes('process_creation')) return ['Winlogbeat with Sysmon', 'Winlogbeat with command lines in event 4688'];
    return rest.some((part) => ofSysmon.has(part) || part === 'sysmon') ? ['Winlogbeat with Sysmon'] : ['Winlogbeat'];
  }
  if (product === 'linux' && rest.length > 0 && !rest.some((part) => ofLogs.has(part))) return ['Auditbeat'];
  return byName.get(logSource) ?? byName.get(product) ?? [];
}
