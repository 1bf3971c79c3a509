import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BackupFailed } from "../../../adapters-infra/backup/backup-failures.ts";
import { blobBytes } from "../../../adapters-infra/backup/blob-bytes.ts";
import type { BackupTarget } from "../../../adapters-infra/backup/installation.ts";
import { writeWholeFile } from "../../../adapters-infra/backup/write-whole-file.ts";
import { s3BlobStore } from "../../../adapters-infra/s3/blob-store.ts";
import type { Config } from "../config.ts";

/** S3 takes 10,000 parts of a file, and one is in memory. */
const partBytes = 32 * 1024 * 1024;

/** A folder, or `s3://bucket/prefix`. */
export const openBackupTarget = (to: string, config: Pick<Config, "backupS3">): BackupTarget => {
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/.exec(to);
  if (s3 === null) {
    const folder = resolve(to);
    return {
      write: (name, source) => writeWholeFile(folder, name, source),
      remove: (name) => rm(join(folder, name), { force: true }),
      locationOf: (name) => join(folder, name),
    };
  }
  const [, bucket = "", given = ""] = s3;
  const prefix = given === "" || given.endsWith("/") ? given : `${given}/`;
  let cause: unknown;
  const store = blobBytes(
    s3BlobStore({ ...config.backupS3, bucket, prefix, partBytes }, (error) => (cause = error)),
  );
  return {
    write: async (name, source) => {
      try {
        const { byteSize, sha256 } = await store.write(name, source);
        return { bytes: byteSize, sha256 };
      } catch (error) {
        if (cause === undefined) throw error;
        throw new BackupFailed(`The backup cannot be stored in ${to}: ${(cause as Error).message}`);
      }
    },
    remove: (name) => store.remove(name),
    locationOf: (name) => `s3://${bucket}/${prefix}${name}`,
  };
};
