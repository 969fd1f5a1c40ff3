/** Configuration of the machines: accounts, services and the range’s own units. */

const loginPage = `<?php
if (($_POST['user'] ?? '') === 'ann' && ($_POST['password'] ?? '') === 'Winter2026!') { header('Location: /account.php', true, 302); exit; }
http_response_code($_SERVER['REQUEST_METHOD'] === 'POST' ? 401 : 200);
echo '<form method="post"><input name="user"><input name="password"></form>';
`;

const site = `server {
  listen 80 default_server;
  root /var/www/html;
  index index.html;
  location / { try_files $uri $uri/ =404; }
  location ~ \\.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/php8.2-fpm.sock; }
}
`;

const runnerUnit = `[Unit]
DefaultDependencies=no
After=local-fs.target systemd-udevd.service
[Service]
ExecStart=/usr/bin/python3 /usr/lib/range/runner.py
StandardOutput=null
StandardError=journal
KillMode=process
LogLevelMax=err
[Install]
WantedBy=sysinit.target
`;

const agentUnit = `[Unit]
Description=Endpoint agent
After=network-online.target
[Service]
ExecStart=/opt/mdr-agent/node --max-old-space-size=64 /opt/mdr-agent/agent.mjs run
Restart=always
`;

const rsyslogUnit = `[Unit]
Description=Log shipping
After=rsyslog.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'cp /usr/lib/range/90-portal.conf /etc/rsyslog.d/ && systemctl restart rsyslog'
`;

export const files: Record<string, { text: string; mode?: number }> = {
  'etc/nginx/sites-available/default': { text: site },
  'var/www/html/index.html': { text: '<h1>Alder</h1>\n' },
  'var/www/html/login.php': { text: loginPage },
  'var/www/html/account.php': { text: "<?php echo 'Account';\n" },
  'etc/systemd/system/range-runner.service': { text: runnerUnit },
  'etc/systemd/system/mdr-agent.service': { text: agentUnit },
  'etc/systemd/system/range-rsyslog.service': { text: rsyslogUnit },
  'etc/sudoers.d/deploy': { text: 'deploy ALL=(ALL) NOPASSWD: ALL\nann ALL=(ALL) NOPASSWD: /usr/bin/systemctl\n', mode: 0o440 },
  'etc/ssh/sshd_config.d/10-range.conf': { text: 'PermitRootLogin yes\nPasswordAuthentication yes\nUseDNS no\nMaxStartups 50\n' },
  'etc/resolv.conf': { text: 'nameserver 10.20.0.5\noptions timeout:1 attempts:1\n' },
  'etc/hostname': { text: 'range\n' },
  'etc/hosts': { text: '127.0.0.1 localhost\n' },
  'opt/mdr-agent/.range': { text: '' },
};

/** Accounts, keys and services, run once in the unpacked system. */
export const setup = `
useradd -m -s /bin/bash -u 1000 deploy; echo 'deploy:Summer2026!' | chpasswd
useradd -m -s /bin/bash -u 1001 ann; echo 'ann:Winter2026!' | chpasswd
useradd -m -s /bin/bash -u 1002 bob; echo 'bob:Autumn2026!' | chpasswd
echo 'root:Spring2026!' | chpasswd
for u in deploy ann; do
  install -d -m 700 -o $u -g $u /home/$u/.ssh
  ssh-keygen -q -t ed25519 -N '' -C $u@alder -f /home/$u/.ssh/id_ed25519
  cp /home/$u/.ssh/id_ed25519.pub /home/$u/.ssh/authorized_keys
  printf 'StrictHostKeyChecking accept-new\\n' > /home/$u/.ssh/config
  chown -R $u:$u /home/$u/.ssh
done
install -d -m 700 /root/.ssh
printf 'StrictHostKeyChecking no\\nUserKnownHostsFile /dev/null\\nLogLevel ERROR\\n' > /root/.ssh/config
install -d -o www-data -g www-data /var/www/html/uploads
for unit in nginx php8.2-fpm slapd exim4 apt-daily.timer apt-daily-upgrade.timer; do systemctl disable -q $unit 2>/dev/null || true; done
systemctl enable -q systemd-networkd range-runner auditd ssh cron rsyslog atd
systemctl mask -q systemd-journald-audit.socket serial-getty@ttyS0.service getty@tty1.service
`;
