/** Default configurations of a client’s collectors: the sources that the product’s rules read, and little more. */
import type { ConfigKind } from '@parapet/contract/collectors.ts';

export const defaults: Record<ConfigKind, string> = {
  client: `# Where collectors reach the portal, where that is not its own address: https://portal.example
address: ""
# Which collectors this client uses.
collectors: [agent, winlogbeat, rsyslog]
# Put on every event of this client's collectors.
tags: []
# On the host: a file with the certificate authority to trust, and a proxy on the way.
certificate_authority: ""
proxy: ""
`,
  filebeat: `filebeat.inputs:
  # Sign-ins, sudo, services: as Debian and Red Hat name them.
  - type: filestream
    id: system
    enabled: true
    paths:
      - /var/log/auth.log
      - /var/log/secure
      - /var/log/syslog
      - /var/log/messages
  - type: filestream
    id: web
    enabled: false
    paths:
      - /var/log/nginx/access.log
      - /var/log/apache2/access.log

processors:
  - add_host_metadata: ~
  - add_locale: ~

logging.level: warning
`,
  auditbeat: `auditbeat.modules:
  - module: auditd
    audit_rules: |
      ## What is started
      -a always,exit -F arch=b64 -S execve,execveat -k exec
      ## Accounts and rights
      -w /etc/passwd -p wa -k identity
      -w /etc/shadow -p rwa -k identity
      -w /etc/group -p wa -k identity
      -w /etc/sudoers -p wa -k identity
      -w /etc/sudoers.d -p wa -k identity
      -w /etc/pam.d -p wa -k identity
      -w /etc/ssh -p wa -k identity
      -w /root/.ssh -p wa -k identity
      ## Autostart
      -w /etc/crontab -p wa -k autostart
      -w /etc/cron.d -p wa -k autostart
      -w /etc/cron.hourly -p wa -k autostart
      -w /etc/cron.daily -p wa -k autostart
      -w /var/spool/cron -p wa -k autostart
      -w /etc/systemd/system -p wa -k autostart
      -w /etc/init.d -p wa -k autostart
      -w /etc/rc.local -p wa -k autostart
      -w /etc/profile -p wa -k autostart
      -w /etc/profile.d -p wa -k autostart
      -w /etc/bash.bashrc -p wa -k autostart
      -w /etc/ld.so.preload -p wa -k autostart
      -w /etc/udev/rules.d -p wa -k autostart
      -w /etc/update-motd.d -p wa -k autostart
      -w /etc/apt/apt.conf.d -p wa -k autostart
      -a always,exit -F arch=b64 -S init_module,finit_module,delete_module -k modules
      ## What hides: records, clocks, programs without a file, other programs' memory
      -w /etc/audit -p wa -k evasion
      -w /var/log/wtmp -p wa -k logins
      -w /var/log/btmp -p wa -k logins
      -a always,exit -F arch=b64 -S memfd_create -k evasion
      -a always,exit -F arch=b64 -S ptrace -F a0=4 -k evasion
      -a always,exit -F arch=b64 -S ptrace -F a0=5 -k evasion
  - module: file_integrity
    paths:
      - /bin
      - /usr/bin
      - /sbin
      - /usr/sbin
      - /etc
    exclude_files:
      - '(?i)\\.sw[nop]$'
      - '~$'
    recursive: false
    hash_types: [sha256]
  - module: system
    datasets: [host, login, user]
    period: 1m

processors:
  - add_host_metadata: ~

logging.level: warning
`,
  packetbeat: `packetbeat.interfaces.device: any

packetbeat.flows:
  enabled: true
  timeout: 30s
  period: 10s

packetbeat.protocols:
  - type: dns
    ports: [53]
  - type: http
    ports: [80, 8080, 8000]
    redact_authorization: true
  - type: tls
    ports: [443, 993, 995, 8443]
  - type: icmp
    enabled: false

processors:
  - add_host_metadata: ~

logging.level: warning
`,
  winlogbeat: `winlogbeat.event_logs:
  - name: Security
    ignore_older: 72h
    # Windows takes at most 22 numbers and ranges here. Sign-ins, accounts, groups, tickets, services, tasks, shares, processes, the log itself.
    event_id: 1102, 4616, 4624-4625, 4634, 4647-4648, 4657, 4662-4663, 4672, 4688, 4697-4702, 4719-4771, 4776, 4798-4799, 5136, 5140, 5145
  - name: System
    ignore_older: 72h
    event_id: 104, 1074, 6005, 6006, 6008, 7022-7045
  - name: Application
    ignore_older: 72h
    level: critical, error, warning
  - name: Microsoft-Windows-Sysmon/Operational
  - name: Windows PowerShell
    event_id: 400, 403, 600, 800
  - name: Microsoft-Windows-PowerShell/Operational
    event_id: 4103, 4104
  - name: Microsoft-Windows-Windows Defender/Operational
    event_id: 1006-1009, 1116-1119, 5001, 5007, 5010, 5012
  - name: Microsoft-Windows-TaskScheduler/Operational
    event_id: 106, 140, 141
  - name: ForwardedEvents
    tags: [forwarded]

processors:
  - add_host_metadata:
      when.not.contains.tags: forwarded

logging.level: warning
`,
  rsyslog: `# Of the host's own log: facilities and severities, as rsyslog writes them.
local: "*.*"
# Further files: each with the program that writes it.
files: []
# Ports on which other devices send their syslog to this host.
listen: []
# On the host's disk while the portal is away.
buffer_megabytes: 1000
`,
};
