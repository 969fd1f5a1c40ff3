/** Subjects that no attribute holds: searched in the text of records, or of an operating system. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';

interface Topic {
  /** Any of these texts. */
  texts: readonly string[];
  words: readonly string[];
  field: 'text' | 'operatingSystem';
  entities: readonly QueryEntity[];
  isGuess?: boolean;
}

const of = (field: Topic['field'], entities: readonly QueryEntity[], list: string): Topic[] =>
  list.split('\n').map((line) => {
    const [texts = '', words = texts] = line.split(':').map((side) => side.trim());
    return { field, entities, texts: texts.split(', '), words: words.split(', ') };
  });

/** Kinds of devices recognisable only by name; they need a clarification. */
const byName = of(
  'text',
  ['device', 'alert', 'case'],
  `-dc-: domain controller, dc, dcs, ad server, active directory server
  -scan-: scanner, vulnerability scanner, scanning box
  -fs-: file server, fileserver, file share
  -sql-: sql server, database server, database, db server
  -web-: web server, webserver, web box
  -bak-: backup server, backup box, backup one
  -jump-: jump host, jump server, jump box, bastion, bastion host`,
).map((topic) => ({ ...topic, isGuess: true }));

export const topics: readonly Topic[] = [
  ...byName,
  ...of(
    'text',
    ['alert', 'case', 'rule', 'event'],
    `phish: phishing, phish, phished, phishing mail, phishing email
    ransom: ransomware, ransom, ransomware-like
    malware, trojan: malware, virus, trojan
    spray: spray, spraying, password spray, sprayed
    rdp, remote desktop: rdp, remote desktop
    lsass
    mimikatz
    psexec
    cobalt strike, cobalt: cobalt strike
    dcsync, replication: dcsync, dc-sync, dc sync
    miner, mining, coin: miner, mining, cryptomining, crypto mining, crypto miner, coin miner, coinminer, cryptominer, crypto
    travel: impossible travel, travel anomaly
    forward: mailbox forwarding, forwarding rule, mail forwarding, inbox rule, mail rule, inbox forwarding
    shadow cop: shadow copy, shadow copies
    web shell, webshell: webshell, web shell
    fatigue: mfa fatigue, prompt fatigue, push fatigue
    usb: usb, usb stick, usb drive
    ssh
    smb
    wmi
    scheduled task: scheduled task
    cron: cron, crontab, cronjob, cron job
    sudo
    tunnel: tunnel, tunnelling, tunneling
    locked out, lockout: lockout, account lockout
    powershell
    dns
    macro: macro, macros, office macro
    rootkit
    exploit: exploit, exploits, exploit attempt
    credential: credential dumping, credential dump, credential theft
    encoded: encoded command, encoded powershell, encoded script
    beacon: beacon, beaconing
    backdoor
    registry
    reverse shell: reverse shell
    container: docker, container escape
    vpn`,
  ),
  ...of(
    'text',
    ['vulnerability'],
    `log4j: log4j, log4shell
    openssl
    openssh
    chrome: chrome, google chrome
    firefox
    apache: apache, apache httpd
    nginx
    java: java, openjdk
    python
    php
    curl
    kernel: kernel, linux kernel
    postgres: postgres, postgresql
    mysql
    samba
    xz: xz, xz-utils
    adobe: adobe, adobe reader, acrobat
    exchange: exchange, exchange server
    glibc`,
  ),
  ...of(
    'operatingSystem',
    ['device'],
    `windows: windows, microsoft windows, windows os
    windows 10: windows 10, win10, win 10
    windows 11: windows 11, win11, win 11
    windows server: windows server
    windows server 2012: windows server 2012, server 2012
    windows server 2016: windows server 2016, server 2016
    windows server 2019: windows server 2019, server 2019
    windows server 2022: windows server 2022, server 2022
    ubuntu
    debian
    red hat: red hat, rhel, redhat
    ubuntu, debian, red hat, centos, suse, fedora, rocky, alma, linux: linux
    macos: macos, mac os, mac, macs`,
  ),
];
