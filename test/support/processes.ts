import { readdirSync, readFileSync } from "node:fs";

/** A process and its descendants as the system lists them now. */
export const treeOf = (pid: number): readonly number[] => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(children.get(member) ?? []));
  return tree;
};

/** A zombie counts as dead. */
export const isAlive = (pid: number): boolean => {
  const stat = statOf(pid);
  return stat !== null && stat[0] !== "Z";
};

/** The memory of a process in MB; shared pages count proportionally. */
export const memoryOf = (pid: number): { readonly rss: number; readonly pss: number } => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1]) / 1024;
  return { rss: mb("Rss"), pss: mb("Pss") };
};

/** Linux counts in hundredths of a second, whatever the kernel's tick is. */
const tickMs = 10;

/** The processor time of a process, its descendants and its reaped children, in milliseconds. */
export const processorMs = (pid: number): number =>
  treeOf(pid).reduce((sum, member) => sum + ticksOf(member), 0) * tickMs;

/** 0 for a process that has ended; its parent has its time now. */
const ticksOf = (pid: number): number =>
  // utime, stime, cutime and cstime
  (statOf(pid)?.slice(11, 15) ?? []).reduce((sum, field) => sum + Number(field), 0);

const parentOf = (pid: number): number | null => {
  const stat = statOf(pid);
  return stat === null ? null : Number(stat[1]);
};

/** State, parent, and what follows. */
const statOf = (pid: number): readonly string[] | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
};
