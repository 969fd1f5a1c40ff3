/** How our agent gets onto a Linux host, as one line for its shell. */

export const placeholder = 'TOKEN';

/** Without TLS the agent must be told that this is meant. */
export const linuxCommand = (origin: string, token: string): string =>
  `curl -fsSL ${origin}/agent/install.sh | sudo sh -s -- --server ${origin} --token ${token}${
    origin.startsWith('http://') ? ' --allow-http' : ''
  }`;
