/** Install command of the agent for Linux hosts. */

export const placeholder = 'TOKEN';

/** Adds `--allow-http` for portals without TLS; the agent refuses plain HTTP otherwise. */
export const linuxCommand = (origin: string, token: string): string =>
  `curl -fsSL ${origin}/agent/install.sh | sudo sh -s -- --server ${origin} --token ${token}${
    origin.startsWith('http://') ? ' --allow-http' : ''
  }`;
