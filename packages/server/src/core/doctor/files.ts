/** Checks of folders, free disk space, the master key and the certificates of syslog. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { type KeySource, type MasterKey, readMasterKey } from '../keys/master.ts';
import { type Finding, ok, problem, reasonOf, sizeOf, warning } from './report.ts';
import { expiryOf } from './tls.ts';

const gib = 1024 ** 3;

/** Free space of a file system: a problem below 1 GiB or 5%, a warning below 5 GiB or 15%. */
export function spaceOf(check: string, free: number, total: number): Finding {
  const share = total > 0 ? free / total : 1;
  const text = `${sizeOf(free)} free (${Math.floor(share * 100)}%)`;
  if (free < gib || share < 0.05) return problem(check, `${text}. Free space, or the portal stops storing.`);
  if (free < 5 * gib || share < 0.15) return warning(check, `${text}. Plan for more space.`);
  return ok(check, `${text}.`);
}

async function checkFolder(name: string, path: string, ifMissing: Finding): Promise<Finding> {
  const check = `${name} ${path}`;
  try {
    if (!(await stat(path)).isDirectory()) return problem(check, 'is not a folder. Name another one.');
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ifMissing;
    return problem(check, `this user cannot write to it (${(error as NodeJS.ErrnoException).code}). Change its owner.`);
  }
  const { bavail, blocks, bsize } = await statfs(path);
  return spaceOf(check, bavail * bsize, blocks * bsize);
}

export async function checkFolders({ dataDir, backup, rulesDir }: Config): Promise<Finding[]> {
  const findings = [
    await checkFolder('DATA_DIR', dataDir, ok(`DATA_DIR ${dataDir}`, 'does not exist yet; the first start creates it.')),
  ];
  if (backup?.dir)
    findings.push(
      await checkFolder(
        'BACKUP_DIR',
        backup.dir,
        problem(`BACKUP_DIR ${backup.dir}`, 'does not exist. Mount the disk, or create the folder.'),
      ),
    );
  if (!(await stat(rulesDir).catch(() => undefined))?.isDirectory())
    findings.push(problem(`RULES_DIR ${rulesDir}`, 'is not a folder, so no built-in rule loads.'));
  return findings;
}

const sourceText = (source: KeySource, name: string): string =>
  source.kind === 'text' ? name : source.kind === 'file' ? `${name}_FILE ${source.path}` : `${name}_COMMAND`;

async function readKey(name: string, source: KeySource): Promise<{ key: MasterKey | undefined; finding: Finding }> {
  const from = sourceText(source, name);
  try {
    const key = await readMasterKey(source, name);
    const mode = source.kind === 'file' ? (await stat(source.path)).mode & 0o077 : 0;
    const text = `from ${from}, name ${key.id}`;
    if (mode !== 0)
      return {
        key,
        finding: warning(name, `${text}. Others on this machine can read the file: chmod 600 ${from.split(' ')[1]}.`),
      };
    return { key, finding: ok(name, `${text}.`) };
  } catch (error) {
    return { key: undefined, finding: problem(name, reasonOf(error)) };
  }
}

/** The master key, and findings on it and the key of backups. */
export async function checkKeys(config: Config): Promise<{ master: MasterKey | undefined; findings: Finding[] }> {
  const findings: Finding[] = [];
  let master: MasterKey | undefined;
  if (config.masterKey) {
    const { key, finding } = await readKey('SECRET_KEY', config.masterKey);
    master = key;
    findings.push(finding);
  } else {
    const text = 'not set; the master key is stored in the database that it protects';
    findings.push(
      config.isDemo ? ok('SECRET_KEY', `${text} (demo).`) : warning('SECRET_KEY', `${text}. Set one: docs/operating.md, "Keys".`),
    );
  }
  if (config.backup) findings.push((await readKey('BACKUP_KEY', config.backup.key)).finding);
  return { master, findings };
}

/** Certificate files of syslog over TLS: expiry, the key that belongs to it, and the CA. */
export async function checkSyslogFiles({ syslogTls }: Config, now: number): Promise<Finding[]> {
  if (!syslogTls) return [];
  const { cert, key, ca } = syslogTls;
  const findings = [await checkCertificateFile('SYSLOG_TLS_CERT', cert, now, key)];
  if (ca) findings.push(await checkCertificateFile('SYSLOG_TLS_CA', ca, now));
  return findings;
}

async function checkCertificateFile(name: string, path: string, now: number, keyPath?: string): Promise<Finding> {
  const check = `${name} ${path}`;
  try {
    const certificate = new X509Certificate(await readFile(path));
    if (keyPath && !certificate.checkPrivateKey(createPrivateKey(await readFile(keyPath))))
      return problem(check, `SYSLOG_TLS_KEY ${keyPath} does not belong to it. Name the key of this certificate.`);
    return expiryOf(check, certificate.validFromDate, certificate.validToDate, now);
  } catch (error) {
    return problem(check, `cannot be read: ${reasonOf(error)}`);
  }
}
