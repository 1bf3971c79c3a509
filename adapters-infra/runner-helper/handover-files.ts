import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { Handover } from "../../ports/process-runner.ts";

/** The runs whose programs on engines outlive this service, in files for the next service of this host. */
export interface HandoverFiles {
  /**
   * Stores the handover state of a run whose first program is stored; `detached` is aborted when this service leaves it. A run
   * whose state cannot be stored, as on a full disk, ends with this service.
   */
  store(runId: string, handoverState: string, detached: AbortController): Promise<void>;
  /** The run has a program that another service cannot attend to, or more than one. */
  markUnrecoverable(runId: string): Promise<void>;
  /** The run has a step of the service's own, such as keeping its work: it ends with this service, with the run. */
  step(runId: string): Promise<void>;
  /** Whether the program that the run's adapter starts now lives already. */
  take(runId: string): boolean;
  readonly handover: Handover;
}

export interface HandoverFilesOptions {
  /** Made where it is missing, closed to others. */
  readonly folder: string;
  /** 32 bytes, of all services of the database: the files hold values of secrets. */
  readonly key: Buffer;
  readonly sec: number;
}

const prefix = "run-";
const ivBytes = 12;
const tagBytes = 16;

export const handoverFiles = ({ folder, key, sec }: HandoverFilesOptions): HandoverFiles => {
  const stored = new Map<string, AbortController | null>();
  const adopted = new Set<string>();
  const unrecoverable = new Set<string>();
  let hasDetached = false;
  const fileOf = (runId: string) => join(folder, `${prefix}${runId}`);
  const remove = (path: string) => rm(path, { force: true }).catch(() => {});
  const step = async (runId: string) => {
    if (stored.delete(runId)) await remove(fileOf(runId));
  };
  const markUnrecoverable = (runId: string) => {
    unrecoverable.add(runId);
    return step(runId);
  };
  /** Returns whether the file is there, whole. */
  const write = async (runId: string, text: string): Promise<boolean> => {
    const draft = `${fileOf(runId)}.${randomBytes(4).toString("hex")}`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, encrypted(text, runId, key), { mode: 0o600 });
      await rename(draft, fileOf(runId));
      return true;
    } catch {
      await remove(draft);
      return false;
    }
  };
  return {
    store: async (runId, text, detached) => {
      if (stored.has(runId) && stored.get(runId) !== null) return markUnrecoverable(runId);
      if (unrecoverable.has(runId)) return;
      if (!stored.has(runId) && !(await write(runId, text))) return markUnrecoverable(runId);
      stored.set(runId, detached);
      if (hasDetached) detached.abort();
    },
    markUnrecoverable,
    step,
    take: (runId) => adopted.delete(runId),
    handover: {
      sec,
      folders: () => [folder],
      orphansIn: (inFolder) =>
        Effect.promise(async () => {
          const names = await readdir(inFolder).catch(() => []);
          return names
            .filter((name) => isHandoverFile.test(name))
            .map((name) => ({ runId: name.slice(prefix.length), address: join(inFolder, name) }));
        }),
      takeOver: ({ runId, address }) =>
        Effect.promise(async () => {
          const handoverState = await readFile(address).then(
            (bytes) => decrypted(bytes, runId, key),
            () => null,
          );
          if (handoverState === null) return null;
          if (address !== fileOf(runId)) {
            // Written here, so that a service that follows this one finds it.
            if (!(await write(runId, handoverState))) return null;
            await remove(address);
          }
          stored.set(runId, null);
          adopted.add(runId);
          return { handoverState, programs: 1 };
        }),
      endOrphanSteps: ({ address }) => void remove(address),
      supervises: (runId) => stored.has(runId),
      release: (runId) => {
        unrecoverable.delete(runId);
        adopted.delete(runId);
        if (stored.delete(runId)) void remove(fileOf(runId));
      },
      leave: () => {
        hasDetached = stored.size > 0;
        for (const left of stored.values()) left?.abort();
      },
      hasDetached: () => hasDetached,
    },
  };
};

const isHandoverFile = /^run-[0-9a-f]{8}-[0-9a-f-]{27}$/;

const encrypted = (text: string, runId: string, key: Buffer): Buffer => {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(runId));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
};

/** null: written with another key, for another run, or changed. */
const decrypted = (bytes: Buffer, runId: string, key: Buffer): string | null => {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(runId))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
};
