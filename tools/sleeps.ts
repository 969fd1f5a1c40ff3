/** Fixed sleeps of tests: a pause of a fixed time outside any loop. Inside one it polls, or sets the pace of a load. */
const pause =
  /\bawait (?:(?:pause|sleep)\((?!Math\.random)|new Promise(?:<void>)?\(\((\w+)\) => setTimeout\(\1, )|\bwaitForTimeout\(/;
/** `pause` and `sleep` may be other functions. */
const timer = /setTimeout(?: as (?:pause|sleep)\b|\()|\bwaitForTimeout\(/;
const loop = /^\s*(?:\} )?(?:for|while|do)\b/;
const functionHead = /=> \{$|\bfunction\b|^\s*(?:async )?\w+\([^)]*\)(?:: [^{]+)? \{$/;

const depthOf = (line: string) => line.length - line.trimStart().length;

/** Numbers from 1 of the lines with a fixed sleep. Relies on the indentation of formatted code. */
export function fixedSleepsIn(text: string): number[] {
  if (!timer.test(text)) return [];
  const lines = text.split('\n');
  const isInLoop = (index: number): boolean => {
    if (loop.test(lines[index]!)) return true;
    let depth = depthOf(lines[index]!);
    for (let above = index - 1; above >= 0 && depth > 0; above--) {
      const line = lines[above]!;
      if (line.trim() === '' || depthOf(line) >= depth) continue;
      depth = depthOf(line);
      if (loop.test(line)) return true;
      if (functionHead.test(line)) return false;
    }
    return false;
  };
  return lines.flatMap((line, index) => (pause.test(line) && !isInLoop(index) ? [index + 1] : []));
}
