/** Fields that alerts of endpoint protection share: the device, the program, the file and the person of a detection. */
import type { Document } from '../../event.ts';
import { baseName, fill, section } from '../doc.ts';
import { fillPrincipal } from './principal.ts';

export interface Program {
  path?: string | undefined;
  name?: string | undefined;
  commandLine?: string | undefined;
  pid?: number | undefined;
  sha256?: string | undefined;
  sha1?: string | undefined;
  md5?: string | undefined;
}

export function fillHost(document: Document, id: string | undefined, name: string | undefined, os: string | undefined): void {
  const host = section(document, 'host');
  fill(host, 'id', id);
  fill(host, 'name', name);
  fill(host, 'hostname', name);
  if (os !== undefined) fill(section(host, 'os'), 'name', os);
}

export function fillHashes(target: Document, { sha256, sha1, md5 }: Program): void {
  if (sha256 === undefined && sha1 === undefined && md5 === undefined) return;
  const hash = section(target, 'hash');
  fill(hash, 'sha256', sha256);
  fill(hash, 'sha1', sha1);
  fill(hash, 'md5', md5);
}

export function fillProcess(target: Document, program: Program): void {
  fill(target, 'executable', program.path);
  fill(target, 'name', program.name ?? baseName(program.path));
  fill(target, 'command_line', program.commandLine);
  fill(target, 'pid', program.pid);
  fillHashes(target, program);
}

export function fillFile(document: Document, file: Program): void {
  const target = section(document, 'file');
  fill(target, 'path', file.path);
  fill(target, 'name', file.name ?? baseName(file.path));
  fillHashes(target, file);
}

/** `DOMAIN\name`, `name@domain` or a bare name. */
export function fillPerson(document: Document, name: string | undefined, domain: string | undefined, id?: string): void {
  if (name === undefined) return;
  const user = section(document, 'user');
  const cut = name.indexOf('\\');
  fillPrincipal(user, cut > 0 ? name.slice(cut + 1) : name, id);
  fill(user, 'domain', cut > 0 ? name.slice(0, cut) : domain);
}

/** The techniques of an alert, as ECS has them. */
export function fillThreat(document: Document, tactic: string | undefined, techniques: readonly string[]): void {
  if (tactic === undefined && techniques.length === 0) return;
  const threat = section(document, 'threat');
  fill(threat, 'framework', 'MITRE ATT&CK');
  if (tactic !== undefined) fill(section(threat, 'tactic'), 'name', [tactic]);
  if (techniques.length > 0) fill(section(threat, 'technique'), 'id', techniques.slice(0, 20));
}
