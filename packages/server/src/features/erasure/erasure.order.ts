/** Order in which the rows of tables can be deleted: those that refer to others first. */

export interface Reference {
  child: string;
  parent: string;
}

/** Throws for tables that refer to each other in a circle. */
export function deletionOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables);
  const order: string[] = [];
  while (left.size > 0) {
    const free = [...left].filter(
      (table) => !references.some(({ child, parent }) => parent === table && child !== table && left.has(child)),
    );
    if (free.length === 0) throw new Error(`These tables refer to each other in a circle: ${[...left].sort().join(', ')}.`);
    for (const table of free.sort()) {
      left.delete(table);
      order.push(table);
    }
  }
  return order;
}
