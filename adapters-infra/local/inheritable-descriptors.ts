import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "./attempt.ts";

const closesOnExec = 0o2000000;

/**
 * The descriptors of this process, beyond the standard ones, that its children would get: Node opens all of its own so
 * that they get none, but the process that started this one may have passed some on.
 */
export const inheritableDescriptors = (): readonly number[] =>
  (attempt(() => readdirSync("/proc/self/fdinfo")) ?? [])
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));

const isInheritable = (descriptor: number): boolean => {
  const info = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"));
  const flags = /^flags:\s+([0-7]+)$/m.exec(info ?? "")?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
};
