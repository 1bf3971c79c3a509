import { existsSync, readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pause } from "../bench/measure.ts";
import { carriers, type Ground } from "./ground.ts";

/** Kills so far by victim, and the phases that are over or were left out. */
export interface Harm {
  readonly kills: Map<string, number>;
  readonly phases: string[];
}

const victims = [
  "the service",
  "its spawner",
  "PostgreSQL",
  "an agent's program",
  "an agent's program",
] as const;

const kill = (pid: number): boolean => {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false; // It has ended.
  }
};

/** Kills at random moments until then, each victim in its turn. */
export const killUntil = async (
  ground: Ground,
  runIds: () => Promise<ReadonlySet<string>>,
  harm: Harm,
  random: () => number,
  until: number,
): Promise<void> => {
  let strikes = 0;
  while (performance.now() < until) {
    await pause(Math.max(0, Math.min(3_000 + random() * 9_000, until - performance.now())));
    if (performance.now() >= until) return;
    const victim = victims[strikes++ % victims.length]!;
    if (await strike(ground, victim, runIds)) harm.kills.set(victim, (harm.kills.get(victim) ?? 0) + 1);
  }
};

const strike = async (
  ground: Ground,
  victim: (typeof victims)[number],
  runIds: () => Promise<ReadonlySet<string>>,
): Promise<boolean> => {
  if (victim === "the service") {
    await ground.restart("SIGKILL");
    return true;
  }
  if (victim === "PostgreSQL") return kill(ground.postmaster());
  if (victim === "its spawner") return ground.spawners().slice(0, 1).some(kill);
  const ours = await runIds();
  return carriers()
    .filter(({ runId }) => ours.has(runId))
    .slice(0, 1)
    .some(({ pid }) => kill(pid));
};

/** Fills the disk of the data directory to the last byte for that time. */
export const fillDisk = async (ground: Ground, harm: Harm, ms: number): Promise<void> => {
  if (!ground.ownDisk) {
    harm.phases.push("a full disk: left out, because only root may mount a small one");
    return;
  }
  const ballast = join(ground.dataDir, "ballast");
  const chunk = Buffer.alloc(4 << 20);
  const until = performance.now() + ms;
  try {
    // Again, because the service frees files meanwhile.
    while (performance.now() < until) {
      await writeFile(ballast, chunk, { flag: "a" }).catch(() => pause(100));
    }
  } finally {
    await rm(ballast, { force: true });
  }
  harm.phases.push(`a full disk for ${Math.round(ms / 1000)} s`);
  if (ground.service.child.exitCode !== null || ground.service.child.signalCode !== null) {
    harm.phases.push("the service ended on the full disk, and was started again");
    await ground.restart("SIGKILL");
  }
};

/** Starts the service with a clock that stands shortly before a month's end, lets it pass, and sets the clock back. */
export const leapClock = async (ground: Ground, harm: Harm, ms: number): Promise<void> => {
  const library = libfaketime();
  if (library === null) {
    harm.phases.push("a clock that leaps, and a month's end: left out, because faketime is not installed");
    return;
  }
  const now = new Date();
  const monthsEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const leapSec = Math.round((monthsEnd - now.getTime() - ms / 2) / 1000);
  ground.env = { LD_PRELOAD: library, FAKETIME: `+${leapSec}s`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  await ground.restart("SIGTERM");
  await pause(ms);
  ground.env = {};
  await ground.restart("SIGTERM");
  harm.phases.push(`a clock that leapt by ${leapSec} s, over the month's end, and back after ${ms / 1000} s`);
};

const libfaketime = (): string | null => {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib") : [];
  return (
    folders
      .map((name) => join("/usr/lib", name, "faketime", "libfaketimeMT.so.1"))
      .find((file) => existsSync(file)) ?? null
  );
};
