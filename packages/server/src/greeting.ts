/** Text printed when the portal is ready: its address, and in a demo the accounts. */
import { personaPassword, personas } from '@parapet/world/personas.ts';
import { canSignIn } from './features/demo/demo.service.ts';

export function greeting(url: string, isDemo: boolean, warnings: readonly string[] = []): string {
  const lines = ['', `The portal is ready at ${url}`, ...warnings.flatMap((warning) => ['', `Warning: ${warning}`])];
  if (isDemo) {
    lines.push('', `This is a demo. Sign in as one of these, each with the password ${personaPassword}`, '');
    for (const persona of personas.filter(canSignIn)) {
      lines.push(`  ${persona.email.padEnd(26)} ${persona.role.padEnd(16)} ${persona.persona}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
