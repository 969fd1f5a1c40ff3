/**
 * Windows channels with their Sigma services and categories, from the taxonomy appendix of Sigma 2 and SigmaHQ's log source test
 * table.
 */

/** Channel (lower case) → service. */
export const SERVICE_OF_CHANNEL = new Map<string, string>(
  Object.entries({
    security: 'security',
    system: 'system',
    application: 'application',
    'windows powershell': 'powershell-classic',
    'dns server': 'dns-server',
    'directory service': 'directory-service',
    'ad fs/admin': 'adfs',
    'msexchange management': 'msexchange-management',
    'openssh/operational': 'openssh',
    'powershellcore/operational': 'powershell',
    'microsoft-servicebus-client': 'servicebus-client',
    'microsoft-servicebus-client/admin': 'servicebus-client',
    'microsoft-servicebus-client/operational': 'servicebus-client',
    'microsoft-iis-configuration/operational': 'iis-configuration',
    'linux-sysmon/operational': 'sysmon',
    ...windows({
      'sysmon/operational': 'sysmon',
      'powershell/operational': 'powershell',
      'ntlm/operational': 'ntlm',
      'taskscheduler/operational': 'taskscheduler',
      'wmi-activity/operational': 'wmi',
      'dhcp-server/operational': 'dhcp',
      'printservice/admin': 'printservice-admin',
      'printservice/operational': 'printservice-operational',
      'smbclient/security': 'smbclient-security',
      'smbclient/connectivity': 'smbclient-connectivity',
      'smbserver/connectivity': 'smbserver-connectivity',
      'smbserver/security': 'smbserver-security',
      'smbserver/audit': 'smbserver-audit',
      'terminalservices-localsessionmanager/operational': 'terminalservices-localsessionmanager',
      'terminalservices-remoteconnectionmanager/operational': 'terminalservices-remoteconnectionmanager',
      'terminalservices-remoteconnectionmanager/admin': 'terminalservices-remoteconnectionmanager',
      'terminalservices-rdpclient/operational': 'terminalservices-rdpclient',
      'remotedesktopservices-rdpcorets/operational': 'rdp-core',
      'codeintegrity/operational': 'codeintegrity-operational',
      'applocker/msi and script': 'applocker',
      'applocker/exe and dll': 'applocker',
      'applocker/packaged app-deployment': 'applocker',
      'applocker/packaged app-execution': 'applocker',
      'windows defender/operational': 'windefend',
      'windows firewall with advanced security/firewall': 'firewall-as',
      'bits-client/operational': 'bits-client',
      'security-mitigations/kernel mode': 'security-mitigations',
      'security-mitigations/user mode': 'security-mitigations',
      'security-mitigations/kernelmode': 'security-mitigations',
      'security-mitigations/usermode': 'security-mitigations',
      'diagnosis-scripted/operational': 'diagnosis-scripted',
      'shell-core/operational': 'shell-core',
      'ldap-client/debug': 'ldap',
      'bitlocker/bitlocker management': 'bitlocker',
      'vhdmp/operational': 'vhdmp',
      'vhdmp-operational': 'vhdmp',
      'appxdeploymentserver/operational': 'appxdeployment-server',
      'lsa/operational': 'lsa-server',
      'appxpackaging/operational': 'appxpackaging-om',
      'dns client events/operational': 'dns-client',
      'dns-client/operational': 'dns-client',
      'dns-server/analytical': 'dns-server-analytic',
      'dns-server/audit': 'dns-server-audit',
      'dnsserver/analytical': 'dns-server-analytic',
      'dnsserver/audit': 'dns-server-audit',
      'driverframeworks-usermode/operational': 'driver-framework',
      'appmodel-runtime/admin': 'appmodel-runtime',
      'capi2/operational': 'capi2',
      'certificateservicesclient-lifecycle-system/operational': 'certificateservicesclient-lifecycle-system',
      'kernel-shimengine/operational': 'kernel-shimengine',
      'kernel-shimengine/diagnostic': 'kernel-shimengine',
      'application-experience/program-telemetry': 'application-experience',
      'application-experience/program-compatibility-assistant': 'application-experience',
      'ntfs/operational': 'ntfs',
      'hyper-v-worker': 'hyper-v-worker',
      'hyper-v-worker-admin': 'hyper-v-worker',
      'hyper-v-worker-operational': 'hyper-v-worker',
      'kernel-eventtracing': 'kernel-event-tracing',
      'kernel-eventtracing/admin': 'kernel-event-tracing',
      'sense/operational': 'sense',
      'winrm/operational': 'winrm',
    }),
  }),
);

/** Deprecated service names still used by rules. */
export const SERVICE_SYNONYMS = new Map<string, string[]>([
  ['servicebus-client', ['microsoft-servicebus-client']],
  ['ldap', ['ldap_debug']],
  ['bitlocker', ['bitlocker-management']],
]);

function windows(channels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(channels).map(([channel, service]) => [`microsoft-windows-${channel}`, service]));
}

/** Provider (lower case) → channel, for events that name only their provider. */
export const CHANNEL_OF_PROVIDER = new Map<string, string>(
  Object.entries({
    'microsoft-windows-sysmon': 'microsoft-windows-sysmon/operational',
    'linux-sysmon': 'linux-sysmon/operational',
    'microsoft-windows-security-auditing': 'security',
    'microsoft-windows-powershell': 'microsoft-windows-powershell/operational',
    powershell: 'windows powershell',
    'service control manager': 'system',
    'microsoft-windows-taskscheduler': 'microsoft-windows-taskscheduler/operational',
    'microsoft-windows-windows defender': 'microsoft-windows-windows defender/operational',
    'microsoft-windows-wmi-activity': 'microsoft-windows-wmi-activity/operational',
    'microsoft-windows-bits-client': 'microsoft-windows-bits-client/operational',
  }),
);

const SYSMON = categories({
  1: 'process_creation',
  2: 'file_change',
  3: 'network_connection',
  4: 'sysmon_status',
  5: 'process_termination',
  6: 'driver_load',
  7: 'image_load',
  8: 'create_remote_thread',
  9: 'raw_access_thread raw_access_read',
  10: 'process_access',
  11: 'file_event',
  12: 'registry_event registry_add registry_delete',
  13: 'registry_event registry_set',
  14: 'registry_event registry_rename',
  15: 'create_stream_hash',
  16: 'sysmon_status',
  17: 'pipe_created',
  18: 'pipe_created',
  19: 'wmi_event',
  20: 'wmi_event',
  21: 'wmi_event',
  22: 'dns_query',
  23: 'file_delete',
  24: 'clipboard_capture clipboard_change',
  25: 'process_tampering',
  26: 'file_delete_detected file_delete',
  27: 'file_block_executable file_block',
  28: 'file_block_shredding file_block',
  29: 'file_executable_detected',
  255: 'sysmon_error',
});

const POWERSHELL = categories({ 4103: 'ps_module', 4104: 'ps_script' });

/** Service → event id → categories. */
export const CATEGORIES_OF_SERVICE = new Map<string, Map<number, string[]>>([
  ['sysmon', SYSMON],
  ['security', categories({ 4688: 'process_creation' })],
  ['powershell', POWERSHELL],
  ['powershell-classic', categories({ 400: 'ps_classic_start', 600: 'ps_classic_provider_start', 800: 'ps_classic_script' })],
  [
    'windefend',
    new Map([1006, 1007, 1008, 1009, 1010, 1011, 1012, 1017, 1018, 1019, 1115, 1116].map((id) => [id, ['antivirus']] as const)),
  ],
]);

function categories(table: Record<number, string>): Map<number, string[]> {
  return new Map(Object.entries(table).map(([id, names]) => [Number(id), names.split(' ')]));
}
