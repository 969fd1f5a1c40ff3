/** Checks of the environment: every invalid setting at once, probable misspellings, and the version of Node. */
import { type Config, readConfig, settingNames } from '../config.ts';
import { portalVersion } from '../version.ts';
import { type Finding, ok, problem, warning } from './report.ts';

const check = 'Settings';
const minimumNode = 24;
/** Read elsewhere than by the configuration. */
const others = ['FOLD_WINDOW_MINUTES', 'PORTAL_DEMO_AGENT'];

/** Number of letters to change, add, leave out or swap with their neighbour; at most 3. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let [before, row]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min((row?.[j] ?? 9) + 1, (next[j - 1] ?? 9) + 1, (row?.[j - 1] ?? 9) + (isSame ? 0 : 1));
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) least = Math.min(least, (before?.[j - 2] ?? 9) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return Math.min(3, row?.at(-1) ?? 3);
}

/** Settings one or two letters off a name of six letters or more. */
const misspelt = (env: Record<string, string | undefined>): Finding[] =>
  Object.keys(env)
    .filter((name) => !settingNames.includes(name) && !others.includes(name))
    .flatMap((name) => {
      const meant = settingNames.find((known) => known.length >= 6 && distance(name, known) <= (known.length > 8 ? 2 : 1));
      return meant ? [warning(check, `${name} is not a setting and has no effect. ${meant} may be meant.`)] : [];
    });

export interface Settings {
  /** Undefined where a setting is invalid. */
  config: Config | undefined;
  findings: Finding[];
}

export function checkSettings(env: Record<string, string | undefined>): Settings {
  const doubtful = misspelt(env);
  try {
    const config = readConfig(env);
    const count = settingNames.filter((name) => (env[name] ?? '') !== '').length;
    return { config, findings: [ok(check, `valid, ${count} set. ${config.isDemo ? 'Demo.' : 'No demo.'}`), ...doubtful] };
  } catch (error) {
    const faults = String((error as Error).message)
      .split('\n')
      .slice(1)
      .map((line) => problem(check, line.trim()));
    return { config: undefined, findings: [...faults, ...doubtful] };
  }
}

export function checkVersions(node = process.versions.node): Finding {
  const text = `portal ${portalVersion}, Node ${node}`;
  return Number(node.split('.')[0]) < minimumNode
    ? problem('Versions', `${text}. Node ${minimumNode} is needed: start by "npm start", which brings its own.`)
    : ok('Versions', `${text}.`);
}
