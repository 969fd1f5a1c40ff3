/** Administration as it happens on every host; nothing here may open a case. */
import { table } from './technique.ts';

const ids = ['T1059.004'];

export const administration = table('web01', [
  {
    slug: 'range-benign-logrotate',
    title: 'Logs rotated by logrotate',
    techniques: ['T1070.002'],
    expected: 'none',
    how: 'The nightly logrotate, forced, renames and compresses the logs of all services and has them reopened.',
    isSession: false,
    script: '/usr/sbin/logrotate -f /etc/logrotate.conf',
  },
  {
    slug: 'range-benign-backup',
    title: 'A nightly backup',
    techniques: ['T1560.001'],
    expected: 'none',
    how: 'A backup script of root packs configuration and web root with tar into /var/backups and keeps seven archives.',
    isSession: false,
    script:
      'mkdir -p /var/backups/nightly; tar czf /var/backups/nightly/web-$(date +%F).tar.gz /etc/nginx /var/www; find /var/backups/nightly -name "*.tar.gz" -mtime +7 -delete; ls -l /var/backups/nightly',
  },
  {
    slug: 'range-benign-deployment',
    title: 'A site deployed',
    techniques: ids,
    expected: 'none',
    how: 'deploy works with git, copies the site with rsync and sudo to the web root, checks the configuration and reloads the web server.',
    user: 'deploy',
    script: `mkdir -p ~/site; cd ~/site; git init -q; echo '<h1>Alder</h1>' > index.html; git add .; git -c user.name=d -c user.email=d@alder.example commit -qm x; git log --oneline
sudo rsync -a --exclude .git ./ /var/www/html/; sudo nginx -t; sudo systemctl reload nginx; curl -sI http://localhost/ | head -1; rm -rf ~/site`,
  },
  {
    slug: 'range-benign-look-around',
    title: 'An administrator looks after a slow host',
    techniques: ['T1082'],
    expected: 'none',
    how: 'ann looks at load, memory, disks, the web server’s state and log over the course of a minute.',
    user: 'ann',
    script:
      'uptime; sleep 6; free -m; sleep 5; df -h; sleep 7; ps aux --sort=-%cpu | head -5; sleep 8; sudo systemctl status nginx | head -3; sleep 5; tail -n 20 /var/log/nginx/error.log; sleep 4; ss -s',
    seconds: 90,
  },
  {
    slug: 'range-benign-service-restart',
    title: 'Services restarted after a change',
    techniques: ['T1489'],
    expected: 'none',
    how: 'root edits a setting of PHP with sed, restarts PHP and the web server, and looks at their state.',
    script:
      "sed -i 's/^memory_limit.*/memory_limit = 256M/' /etc/php/8.2/fpm/php.ini; systemctl restart php8.2-fpm; systemctl restart nginx; systemctl is-active nginx php8.2-fpm",
  },
  {
    slug: 'range-benign-configuration-run',
    title: 'A run of configuration management',
    techniques: ids,
    expected: 'none',
    how: 'A Python program without a login looks at packages, services and file sums, writes the message before login, and sets owners and modes.',
    isSession: false,
    script: `python3 - <<'E'
import subprocess as s, time
for c in ('dpkg-query -W nginx-light openssh-server','systemctl is-enabled nginx ssh cron','sha256sum /etc/ssh/sshd_config /etc/nginx/nginx.conf','stat -c %a /etc/passwd','hostname','uname -r','chown root:root /etc/issue.net','chmod 644 /etc/issue.net','sysctl net.ipv4.ip_forward','getent passwd deploy','id deploy','systemctl is-active rsyslog'):
    s.run(c.split(), capture_output=True); time.sleep(0.3)
open('/etc/issue.net','w').write('Alder\\n')
E`,
  },
  {
    slug: 'range-benign-packages',
    title: 'Packages looked up and one put in place again',
    techniques: ids,
    expected: 'none',
    how: 'root lists packages, checks their files, and configures one again with dpkg, whose scripts run.',
    script:
      'dpkg -l | wc -l; dpkg -V cron rsyslog; dpkg-reconfigure -f noninteractive cron; apt-cache policy nginx-light | head -2; apt-get check -qq',
  },
  {
    slug: 'range-benign-ssh-day',
    title: 'Administrators log on from their workplace',
    techniques: ['T1021.004'],
    expected: 'none',
    how: 'From the workplaces’ network deploy logs on four times over ssh, once after a mistyped password, and looks at the host.',
    host: 'files01',
    stranger: `s() { sshpass -p "$1" ssh -b 198.51.100.20 -o PubkeyAuthentication=no -o NumberOfPasswordPrompts=1 deploy@10.20.1.20 "$2"; }
s 'Summer2025!' true; sleep 2; s 'Summer2026!' uptime; sleep 2; s 'Summer2026!' 'df -h; ls'; sleep 2; s 'Summer2026!' 'sudo systemctl status slapd | head -2'; s 'Summer2026!' 'tail -n 3 /var/log/dpkg.log'`,
  },
  {
    slug: 'range-benign-directory-look-ups',
    title: 'Look-ups in the directory',
    techniques: ['T1087.002'],
    expected: 'none',
    how: 'deploy looks for three people in OpenLDAP by name.',
    host: 'files01',
    user: 'deploy',
    script: 'for n in ann bob cleo; do ldapsearch -x -LLL -H ldap://localhost -b dc=alder,dc=example "(uid=$n)" mail; done',
  },
  {
    slug: 'range-benign-visitors',
    title: 'Visitors of a web site',
    techniques: ids,
    expected: 'none',
    how: 'From the workplaces’ network two people read pages, miss an icon, and log in at the second try.',
    stranger: `for a in 198.51.100.20 198.51.100.21; do for n in 1 2 3 4 5; do curl -s -o /dev/null --interface $a -A 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' http://10.20.1.10/; sleep 0.3; done; curl -s -o /dev/null --interface $a http://10.20.1.10/favicon.ico; curl -s -o /dev/null --interface $a -d 'user=ann&password=Winter2025!' http://10.20.1.10/login.php; curl -s -o /dev/null --interface $a -d 'user=ann&password=Winter2026!' http://10.20.1.10/login.php; done`,
  },
]);
