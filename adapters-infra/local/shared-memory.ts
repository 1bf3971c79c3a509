import { readFileSync, readlinkSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { attempt } from "./attempt.ts";
import type { OutputOf } from "./bounded-output.ts";

/** Programs that start together share a reading of the machine. */
const machineMs = 100;

let machine = { at: Number.NEGATIVE_INFINITY, bytes: 0 };

/**
 * Bytes of all files in memory and shared segments of the machine, at most so long ago; 0 where the system does not
 * tell.
 */
export const machineSharedBytes = (): number => {
  if (performance.now() - machine.at >= machineMs) {
    const [, kilobytes] = /^Shmem: +(\d+) kB$/m.exec(read("/proc/meminfo")) ?? [];
    machine = { at: performance.now(), bytes: Number(kilobytes ?? 0) * 1024 };
  }
  return machine.bytes;
};

/**
 * Bytes that processes hold in files in memory: file systems in memory that only they see, anonymous files that they
 * have open, and, as root, System V segments of their namespaces. Nothing of it needs to be mapped by any process.
 */
export const sharedBytes = async (pids: readonly number[], outputOf: OutputOf): Promise<number> => {
  const parts = await Promise.all([
    fileSystems(pids, outputOf),
    anonymousFiles(pids, outputOf),
    segments(pids, outputOf),
  ]);
  return parts.reduce((sum, part) => sum + part, 0);
};

/** More than a program that means well has, and what a reading can take. */
const mostPaths = 2_000;
const mostNamespaces = 16;
const mostDescriptors = 20_000;

const fileSystems = async (pids: readonly number[], outputOf: OutputOf): Promise<number> => {
  const ours = new Set(mountsOf("self").map(({ device }) => device));
  const paths = new Map<string, string>();
  for (const pid of onePerNamespace(pids, "mnt"))
    for (const { device, path, type } of mountsOf(pid))
      if (type === "tmpfs" && !ours.has(device) && paths.size < mostPaths)
        paths.set(device, `/proc/${pid}/root${path}`);
  if (paths.size === 0) return 0;
  const text = await outputOf("stat", ["-f", "-c", "%S %b %f", "--", ...paths.values()]);
  return lines(text).reduce((sum, [size = 0, all = 0, free = 0]) => sum + size * (all - free), 0);
};

interface Mount {
  readonly device: string;
  readonly path: string;
  readonly type: string;
}

const mountsOf = (pid: number | "self"): readonly Mount[] =>
  read(`/proc/${pid}/mountinfo`)
    .split("\n")
    .flatMap((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [, , device, , path] = before.split(" ");
      const [type = ""] = after.split(" ");
      if (device === undefined || path === undefined) return [];
      const plain = path.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
      return [{ device, path: plain, type }];
    });

const anonymousFiles = async (pids: readonly number[], outputOf: OutputOf): Promise<number> => {
  const paths: string[] = [];
  let remaining = mostDescriptors;
  for (const pid of pids) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch((): string[] => []);
    for (const descriptor of descriptors.slice(0, remaining)) {
      const path = `/proc/${pid}/fd/${descriptor}`;
      const link = await readlink(path).catch(() => "");
      if (link.startsWith("/memfd:") && paths.length < mostPaths) paths.push(path);
    }
    remaining -= Math.min(remaining, descriptors.length);
  }
  if (paths.length === 0) return 0;
  const text = await outputOf("stat", ["-L", "-c", "%d %i %b %B", "--", ...paths]);
  const sizes = new Map(
    lines(text).map(([device, file, blocks = 0, size = 0]) => [`${device}/${file}`, blocks * size]),
  );
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
};

/** Only root may look into the namespaces that the sandbox of another user has made. */
const segments = async (pids: readonly number[], outputOf: OutputOf): Promise<number> => {
  if (process.getuid?.() !== 0) return 0;
  let bytes = 0;
  for (const pid of onePerNamespace(pids, "ipc")) {
    const text = await outputOf("nsenter", ["--target", `${pid}`, "--ipc", "cat", "/proc/sysvipc/shm"]);
    const resident = 14;
    for (const segment of lines(text).slice(1)) bytes += segment[resident] ?? 0;
  }
  return bytes;
};

/** One process of each namespace that is not the service's. */
const onePerNamespace = (pids: readonly number[], kind: "mnt" | "ipc"): readonly number[] => {
  const found = new Map<string, number>();
  const spaceOf = (pid: number | "self") => attempt(() => readlinkSync(`/proc/${pid}/ns/${kind}`));
  const ours = spaceOf("self");
  for (const pid of pids) {
    const space = spaceOf(pid);
    if (space !== null && space !== ours && found.size < mostNamespaces && !found.has(space))
      found.set(space, pid);
  }
  return [...found.values()];
};

const lines = (text: string | null): readonly (readonly number[])[] =>
  (text ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.trim().split(/\s+/).map(Number));

const read = (path: string): string => attempt(() => readFileSync(path, "utf8")) ?? "";
