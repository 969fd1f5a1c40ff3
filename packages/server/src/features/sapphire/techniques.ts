/** ATT&CK techniques by id and name, for recognition in questions. */
import { attackMatrix } from '../../domain/facts.ts';

export const techniqueNames: readonly { id: string; name: string }[] = [
  ...new Map(
    attackMatrix
      .flatMap(({ techniques }) => techniques)
      .flatMap(({ id, name, subtechniques }) => [{ id, name }, ...subtechniques])
      .map((technique) => [technique.id, technique] as const),
  ).values(),
];
