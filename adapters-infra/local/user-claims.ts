import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { UserRange } from "../../ports/sandbox.ts";
import { attempt } from "./attempt.ts";
import { takeExclusiveLock } from "./exclusive-lock.ts";

/** The users of this machine that its instances have taken from a range, each for one holder. */
export interface UserClaims {
  /**
   * Returns the holder's user: the one that it has, the first free one of `preferred`, or another. A claim is kept for
   * good, so that files keep their owner. null: all users of the range are taken.
   */
  take(holder: string, preferred: readonly number[]): Promise<number | null>;
}

interface Claim {
  readonly holder: string;
  /** Where the holder's files are. A claim without them ends when the range is full. */
  readonly dataDir: string;
}

const betweenTriesMs = 20;

/** Keeps a file for each user in a folder of the machine, which all instances share. */
export const userClaims = (folder: string, { first, last }: UserRange, dataDir: string): UserClaims => {
  const fileOf = (uid: number) => join(folder, `${uid}`);
  const read = (): ReadonlyMap<number, Claim> =>
    new Map(
      readdirSync(folder)
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => {
          const claim = attempt(() => JSON.parse(readFileSync(join(folder, name), "utf8")) as Claim);
          return [[Number(name), claim ?? { holder: "", dataDir: "/" }] as const];
        }),
    );
  const heldBy = (holder: string) => {
    for (const [uid, claim] of read()) if (claim.holder === holder && uid >= first && uid <= last) return uid;
    return null;
  };
  const choose = (preferred: readonly number[]): number | null => {
    const claims = read();
    // From the end: the first ones are the usual ones of other instances' companies.
    const all = Array.from({ length: last - first + 1 }, (_, n) => last - n);
    const wanted = [...preferred.filter((uid) => uid >= first && uid <= last), ...all];
    const isAbandoned = (uid: number) => !existsSync(claims.get(uid)?.dataDir ?? "/");
    return wanted.find((uid) => !claims.has(uid)) ?? wanted.find(isAbandoned) ?? null;
  };
  return {
    take: async (holder, preferred) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const held = heldBy(holder);
      if (held !== null) return held;
      const lock = await waitForLock(join(folder, "lock"));
      try {
        const uid = heldBy(holder) ?? choose(preferred);
        if (uid === null) return null;
        const claim: Claim = { holder, dataDir };
        const draft = `${fileOf(uid)}.new`;
        writeFileSync(draft, `${JSON.stringify(claim)}\n`, { mode: 0o600 });
        renameSync(draft, fileOf(uid));
        return uid;
      } finally {
        lock.release();
      }
    },
  };
};

/** Others hold it for some milliseconds. */
const waitForLock = async (path: string) => {
  for (;;) {
    const lock = await takeExclusiveLock(path);
    if (lock !== null) return lock;
    await pause(betweenTriesMs);
  }
};
