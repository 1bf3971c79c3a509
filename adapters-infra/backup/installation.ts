import type { BlobStore } from "../../ports/blob-store.ts";
import type { KeyRing } from "../local/master-key.ts";
import type { openDatabase } from "../postgres/connection.ts";
import type { WrittenFile } from "./write-whole-file.ts";

/** A resource of this process until it is closed. */
export interface Opened {
  close(): Promise<void>;
}

/**
 * An installation as backups and moves of companies see it: its place, its keys, and how to open the rest. The composition
 * makes one of the settings, which nothing here knows.
 */
export interface Installation {
  /** Of the service's program. */
  readonly version: string;
  readonly dataDir: string;
  /** null: the embedded database of the data directory. */
  readonly databaseUrl: string | null;
  /** Texts of the keys in the settings; null: `master.key` of the data directory. */
  readonly masterKey: string | null;
  readonly nextMasterKey: string | null;
  /** Settings that a manifest shows. */
  readonly publicSettings: Readonly<Record<string, string>>;

  /** Works on the database: a server's, that of the service which runs, or the embedded one, which is started for it. */
  withDatabase<T>(work: (url: string) => Promise<T>): Promise<T>;
  /** Why the database server can't be used, in a sentence; null: it can. */
  databaseFailure(url: string): Promise<string | null>;
  /**
   * Starts an embedded database in a folder. `durable`: false for one that is deleted afterwards. `binaries`: those of
   * another build of PostgreSQL.
   */
  startDatabase(
    directory: string,
    options?: { readonly durable?: false; readonly binaries?: string },
  ): Promise<Opened & { readonly url: string }>;
  /** Claims a data directory for this process. */
  claim(dataDir: string): Promise<Opened>;
  /** The store of files and logs: the bucket of the settings, or a folder of that data directory. */
  blobsOf(dataDir: string): BlobStore;
  /** A folder, or `s3://bucket/prefix`. */
  target(to: string): BackupTarget;
  /**
   * The master key that the database names. A fresh database stores the name of this one where it is `recorded`.
   *
   * @throws MasterKeyUnusable
   */
  keyRing(sql: ReturnType<typeof openDatabase>, use: "read" | "recorded"): Promise<KeyRing>;
}

/** The place of backups. */
export interface BackupTarget {
  /** Returns once the file is stored completely; a partial one never has the name. */
  write(name: string, source: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** Deletes a file; one that is gone is no failure. */
  remove(name: string): Promise<void>;
  /** The location of a file, for people. */
  locationOf(name: string): string;
}
