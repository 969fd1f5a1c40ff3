/** Text printed when the portal is ready: its address, in a demo the accounts, and without a Host how to create one. */
import { personaPassword, personas } from '@parapet/world/personas.ts';
import { canSignIn } from './features/demo/demo.register.ts';

export interface Greeting {
  url: string;
  isDemo: boolean;
  hasHost: boolean;
  /** As given by the environment, since the command needs the same. */
  dataDir: string | undefined;
  warnings: readonly string[];
}

export function greeting({ url, isDemo, hasHost, dataDir, warnings }: Greeting): string {
  const lines = ['', `The portal is ready at ${url}`, ...warnings.flatMap((warning) => ['', `Warning: ${warning}`])];
  if (isDemo) {
    lines.push('', `This is a demo. Sign in as one of these, each with the password ${personaPassword}`, '');
    for (const persona of personas.filter(canSignIn)) {
      lines.push(`  ${persona.email.padEnd(26)} ${persona.role.padEnd(16)} ${persona.persona}`);
    }
  } else if (!hasHost) {
    const variable = dataDir === undefined ? '' : `DATA_DIR=${JSON.stringify(dataDir)} `;
    lines.push(
      '',
      'No account can sign in yet. Create the first Host in another terminal; the command prints a link that sets the password:',
      '',
      `  ${variable}npm run -s create-host`,
    );
  }
  return `${lines.join('\n')}\n`;
}
