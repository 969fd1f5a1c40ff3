#!/bin/sh
# Installs the endpoint agent on Linux and enrols this host:
#   curl -fsSL https://PORTAL/agent/install.sh | sudo sh -s -- --server https://PORTAL --token TOKEN
# Further arguments are passed to "mdr-agent enrol" (--file, --no-journal, --buffer-mib, --ca, --allow-http). --no-start leaves the service stopped.
set -eu

home=/opt/mdr-agent
state=/var/lib/mdr-agent
server='' start=1 ca=''

fail() { echo "mdr-agent: $*" >&2; exit 1; }

# Removes this script’s own arguments; the rest is for "enrol".
count=$#
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  case $word in
    --no-start) start=0; continue ;;
    --server | --ca)
      [ "$count" -gt 0 ] || fail "$word needs a value"
      [ "$word" = --server ] && server=${1%/} || ca=$1
      ;;
  esac
  set -- "$@" "$word"
done

[ "$(id -u)" = 0 ] || fail 'run this as root'
[ "$(uname -s)" = Linux ] || fail 'this agent supports Linux only. Other hosts ship by Beats or syslog; see Agents in the portal.'
[ -n "$server" ] || fail '--server is required: the URL of the portal'
case $(uname -m) in
  x86_64 | amd64) platform=linux-x64 ;;
  aarch64 | arm64) platform=linux-arm64 ;;
  *) fail "there is no agent for $(uname -m)" ;;
esac

get() { # path, file
  if command -v curl >/dev/null; then
    curl -fsS --retry 3 --compressed ${ca:+--cacert "$ca"} -o "$2" "$server/agent/$1"
  elif command -v wget >/dev/null; then
    wget -q ${ca:+--ca-certificate="$ca"} -O "$2" "$server/agent/$1"
  else
    fail 'neither curl nor wget is installed'
  fi || fail "$server/agent/$1 could not be downloaded"
}

is_new_enough() {
  [ -x "$1" ] && "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

umask 022
mkdir -p "$home/releases"
work=$(mktemp -d "$home/install.XXXXXX")
trap 'rm -rf "$work"' EXIT

node=$(command -v node || true)
if is_new_enough "$home/node"; then
  node=$home/node
elif [ -z "$node" ] || ! is_new_enough "$node"; then
  echo 'Downloading the runtime …'
  get "runtime/$platform" "$work/node"
  chmod 755 "$work/node"
  is_new_enough "$work/node" || fail 'the portal’s runtime does not run on this host. Install Node.js 20.19 or newer and run this again.'
  mv "$work/node" "$home/node"
  node=$home/node
fi

get agent.mjs "$work/agent.mjs"
version=$("$node" "$work/agent.mjs" --version) || fail 'the agent does not start on this host'
case $version in *[!0-9.]* | '') fail "the agent reports version $version" ;; esac
mkdir -p "$home/releases/$version"
chmod 755 "$work/agent.mjs"
mv "$work/agent.mjs" "$home/releases/$version/agent.mjs"
rm -f "$work/current"
ln -s "releases/$version" "$work/current"
mv -T "$work/current" "$home/current" 2>/dev/null || { rm -f "$home/current" && mv "$work/current" "$home/current"; }

mkdir -p "$state"
chmod 700 "$state"
"$node" "$home/current/agent.mjs" enrol "$@" || exit 1

command -v nft >/dev/null || echo 'Note: nft is not installed. Until the package nftables is installed, this host cannot be isolated.' >&2

if ! command -v systemctl >/dev/null || [ ! -d /run/systemd/system ]; then
  echo "This host has no systemd. Run this at boot as root: $node $home/current/agent.mjs run"
  exit 0
fi

cat >/usr/local/bin/mdr-agent <<WRAP
#!/bin/sh
exec $node $home/current/agent.mjs "\$@"
WRAP
chmod 755 /usr/local/bin/mdr-agent

cat >/etc/systemd/system/mdr-agent.service <<UNIT
[Unit]
Description=Endpoint agent
After=network-online.target mdr-isolation.service
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=$node --v8-pool-size=1 --max-semi-space-size=8 --max-old-space-size=128 $home/current/agent.mjs run
Restart=always
RestartSec=5
MemoryMax=512M
Nice=5
UMask=0077
LimitCORE=0

[Install]
WantedBy=multi-user.target
UNIT

# Restores an isolation before the network is up and after the host’s own rules, which begin with a flush; the agent maintains it from then on.
cat >/etc/systemd/system/mdr-isolation.service <<UNIT
[Unit]
Description=Isolation of this host, where one holds
DefaultDependencies=no
After=local-fs.target nftables.service
Before=network-pre.target shutdown.target
Wants=network-pre.target
Conflicts=shutdown.target
ConditionPathExists=$state/isolation.nft

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin nft -f $state/isolation.nft

[Install]
WantedBy=sysinit.target
UNIT

systemctl daemon-reload
systemctl enable -q mdr-agent.service mdr-isolation.service
if [ "$start" = 1 ]; then
  systemctl restart mdr-agent.service
  echo 'The agent is running. Check it with "mdr-agent status".'
fi
