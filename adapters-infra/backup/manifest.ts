import { z } from "zod";

/** The version of the format of the file. */
export const formatVersion = 2;
/** Name of the member that describes the others and follows them, by what the file holds. */
export const manifestNames = { installation: "manifest.json", company: "company.json" } as const;
export type Holds = keyof typeof manifestNames;
/** The master key, encrypted by a passphrase with age. */
export const masterKeyName = "master.key.age";

const Count = z.number().int().min(0);
const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Files = z.object({ count: Count, bytes: Count });

/** The contents of a backup. Hashes of its files are in its members of checksums. */
export const Manifest = z.object({
  format: z.literal(formatVersion),
  serviceVersion: z.string(),
  schemaVersion: Count,
  createdAt: z.iso.datetime(),
  migrations: z.array(z.object({ version: Count, checksum: Hash })),
  masterKey: z.object({
    /** null: the database has no secret yet. */
    fingerprint: z.string().nullable(),
    /** A data key of the service, which opens with the right master key alone. */
    canary: z.object({ wrapped: z.base64(), wrappedBy: z.string() }).nullable(),
  }),
  /** Settings of the command that made it, without secrets. For people: a restore does not read them. */
  settings: z.record(z.string(), z.string()),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: Count,
      /** Of all its rows. */
      sha256: Hash,
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string().regex(/^\d+$/).nullable() })),
  /** Files that operators put into the data directory. */
  files: Files,
  blobs: Files.extend({ missing: z.array(z.string()) }),
  /** Workspaces and homes of agents; null: the backup is without them. */
  workspaces: Files.extend({
    leftOut: z.object({ count: Count, names: z.array(z.string()).readonly() }),
  })
    .nullable()
    .default(null),
  /** The company whose rows are in it; null: it is a backup of an installation. */
  company: z
    .object({
      id: z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      name: z.string(),
      issuePrefix: z.string().regex(/^[A-Z]{1,30}$/),
      /** Settings that may be secrets were left out, because the file is not encrypted. */
      omitted: z.array(z.string()),
    })
    .nullable()
    .default(null),
});

export type Manifest = z.infer<typeof Manifest>;

/** The contents of a backup, for reports. */
export interface BackupContents {
  readonly createdAt: string;
  readonly serviceVersion: string;
  readonly schemaVersion: number;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly blobs: number;
  /** Blobs that were missing when the backup was made. */
  readonly missingBlobs: readonly string[];
  /** Files, links and folders of workspaces and homes; null: the backup is without them. */
  readonly workspaceFiles: number | null;
}

export const contentsOf = (manifest: Manifest): BackupContents => ({
  createdAt: manifest.createdAt,
  serviceVersion: manifest.serviceVersion,
  schemaVersion: manifest.schemaVersion,
  tables: manifest.tables.length,
  rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
  files: manifest.files.count,
  blobs: manifest.blobs.count,
  missingBlobs: manifest.blobs.missing,
  workspaceFiles: manifest.workspaces?.count ?? null,
});
