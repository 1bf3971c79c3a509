import { nextTimer } from "../../core/model/agents/agent.ts";
import type { Trigger } from "../../core/model/routines/trigger.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { Calendar } from "../../ports/calendar.ts";
import { hashed } from "../backup/archive-member.ts";
import { BackupUnusable, changed } from "../backup/backup-failures.ts";
import { blobBytes } from "../backup/blob-bytes.ts";
import type { Installation } from "../backup/installation.ts";
import type { Manifest } from "../backup/manifest.ts";
import {
  type BackupContents,
  type BackupFile,
  checkBackup,
  openBackup,
  textOf,
} from "../backup/read-backup.ts";
import { uuidIds } from "../local/uuid-ids.ts";
import { CompanyRefused } from "../postgres/company-move/company-refused.ts";
import type { CopiedCompany } from "../postgres/company-move/copied-company.ts";
import { IdSet } from "../postgres/company-move/id-set.ts";
import { type Move, newMove } from "../postgres/company-move/move-rows.ts";
import {
  freePrefix,
  type RecordedBlobs,
  requireSameSchema,
  writeCompany,
} from "../postgres/company-move/write-company.ts";
import { openDatabase } from "../postgres/connection.ts";
import { type AcceptedShapes, checkCopy } from "./check-copy.ts";
import { readValues, sealValues, valuesName } from "./secret-values.ts";

export const importStages = ["checking", "tables", "blobs", "database", "imported"] as const;
export type ImportStage = (typeof importStages)[number];

export interface ImportProgress {
  readonly stage: ImportStage;
  readonly table?: string;
  readonly blobs: number;
}

export interface ImportCompany extends BackupFile {
  readonly name: string;
  /** Writes nothing, and says what would be written. */
  readonly dryRun: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportReport {
  /** null: it was a trial. */
  readonly companyId: string | null;
  readonly name: string;
  readonly issuePrefix: string;
  /** Of the original, where another company here has it: issues of the copy have other identifiers. */
  readonly takenPrefix: string | null;
  /** Companies here that have the same name. */
  readonly sameName: number;
  readonly original: {
    readonly id: string;
    readonly name: string;
    readonly issuePrefix: string;
    readonly exportedAt: string;
    readonly serviceVersion: string;
  };
  /** New rows by table; tables without rows are left out. */
  readonly rows: Readonly<Record<string, number>>;
  readonly blobs: number;
  readonly blobBytes: number;
  /** The needs of the copy before it works as the original did. */
  readonly wanted: {
    /** Names of secrets without a value. */
    readonly secrets: readonly string[];
    /** Types of adapters that this service does not have. */
    readonly adapters: readonly string[];
    /** Names of runners that agents or the company choose. */
    readonly runners: readonly string[];
    /** Names of vaults that an admin enables. */
    readonly vaults: readonly string[];
    /** Routines with webhooks, each of which needs a new secret. */
    readonly webhooks: readonly string[];
    /** Agents with paths of the original's machine, which an instance admin allows again. */
    readonly paths: readonly string[];
    /** Settings that the export left out. */
    readonly settings: readonly string[];
  };
}

/** The rules for a copy that other parts of the service have. */
export interface ImportRules {
  readonly shapes: AcceptedShapes;
  readonly calendar: Pick<Calendar, "refuse">;
  readonly nextTick: (
    schedule: Pick<Trigger, "cronExpression" | "timezone">,
    after: Instant,
  ) => Instant | null;
  /** The types of adapters that this service does not have. */
  readonly missingAdapters: (types: readonly string[]) => Promise<readonly string[]>;
}

/** Makes a company of a file: a new one, with new ids, paused. */
export const importCompany = (
  installation: Installation,
  rules: ImportRules,
  command: ImportCompany,
): Promise<ImportReport> => {
  const { onProgress = () => {}, dryRun } = command;
  return installation.withDatabase(async (url) => {
    onProgress({ stage: "checking", blobs: 0 });
    const { manifest, known } = await check(command);
    const original = manifest.company!;
    const sql = openDatabase(url, { max: 1 });
    try {
      await requireSameSchema(sql, manifest.migrations);
      const issuePrefix = await freePrefix(sql, original.issuePrefix);
      const move = newMove({ from: original.issuePrefix, to: issuePrefix }, (id) => known.has(id));
      const store = installation.blobsOf(installation.dataDir);
      const companyId = move.id(original.id);
      const at = new Date().toISOString() as Instant;
      const contents = openBackup(command);
      let after: Awaited<ReturnType<typeof finishCopy>> | null = null;
      let values: ReadonlyMap<string, string> = new Map();
      try {
        await writeCompany({
          url,
          tables: manifest.tables,
          parts: contents.tables((table) => onProgress({ stage: "tables", table, blobs: 0 })),
          move,
          facts: { companyId, name: command.name, issuePrefix, at, blobProvider: store.provider },
          beforeRows: async (recorded) => {
            values = await valuesIn(contents, move.id);
            await copyBlobs(contents, move, recorded, {
              write: dryRun ? null : blobBytes(store).write,
              onCopied: (count) => onProgress({ stage: "blobs", blobs: count }),
            });
          },
          afterRows: async (copy) => {
            after = await finishCopy({ installation, rules, manifest }, copy, { at, values });
            onProgress({ stage: "database", blobs: manifest.blobs.count });
          },
          dryRun,
        });
      } finally {
        await contents.close();
      }
      onProgress({ stage: "imported", blobs: manifest.blobs.count });
      return {
        companyId: dryRun ? null : companyId,
        name: command.name,
        issuePrefix,
        takenPrefix: issuePrefix === original.issuePrefix ? null : original.issuePrefix,
        original: {
          id: original.id,
          name: original.name,
          issuePrefix: original.issuePrefix,
          exportedAt: manifest.createdAt,
          serviceVersion: manifest.serviceVersion,
        },
        rows: Object.fromEntries(
          manifest.tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]),
        ),
        blobs: manifest.blobs.count,
        blobBytes: manifest.blobs.bytes,
        ...after!,
      };
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
};

/** Reads the whole file once: it must be exactly as it was written. Collects the ids of its records. */
const check = async (file: BackupFile) => {
  const known = new IdSet();
  const { manifest } = await checkBackup(file, "company", async (member) => {
    if (!member.name.startsWith("tables/")) return;
    for (const [id] of (await textOf(member))
      .toString("latin1")
      .matchAll(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\t)/gm))
      known.add(id);
  });
  if (manifest.company === null || manifest.workspaces !== null) throw changed();
  return { manifest, known };
};

/** Stores the blobs under the keys of the copy, and records their sizes and hashes. `write`: null in a trial. */
const copyBlobs = async (
  contents: BackupContents,
  move: Move,
  recorded: RecordedBlobs,
  {
    write,
    onCopied,
  }: {
    readonly write: ReturnType<typeof blobBytes>["write"] | null;
    readonly onCopied: (count: number) => void;
  },
): Promise<void> => {
  let count = 0;
  onCopied(count);
  for await (const { name, bytes, data } of contents.section("blobs")) {
    const key = move.blobKey(name);
    let sha256 = "";
    const source = hashed(data(), (digest) => {
      sha256 = digest;
    });
    if (write === null) for await (const _ of source);
    else {
      await recorded.loose(key);
      await write(key, source);
    }
    await recorded.bytes(key, { bytes, sha256 });
    count += 1;
    onCopied(count);
  }
};

/** They are kept in memory. */
const maxValuesBytes = 64 * 1024 * 1024;

const valuesIn = async (
  contents: BackupContents,
  movedId: (id: string) => string,
): Promise<ReadonlyMap<string, string>> => {
  const values = new Map<string, string>();
  for await (const member of contents.section("secrets")) {
    if (`secrets/${member.name}` !== valuesName)
      throw new BackupUnusable("The file contains a part that a company can't have.");
    if (member.bytes > maxValuesBytes)
      throw new BackupUnusable("The file contains more secrets than a company can have.");
    for (const [id, value] of Object.entries(readValues((await textOf(member)).toString("utf8"))))
      values.set(movedId(id), value);
  }
  return values;
};

/** Seals secrets, sets the next ticks after now, logs the import, and says what is wanted. */
const finishCopy = async (
  {
    installation,
    rules,
    manifest,
  }: { readonly installation: Installation; readonly rules: ImportRules; readonly manifest: Manifest },
  copy: CopiedCompany,
  { at, values }: { readonly at: Instant; readonly values: ReadonlyMap<string, string> },
) => {
  await checkCopy(copy, rules.shapes);
  const secrets = await sealValues(installation, copy, values);
  await setTicks(rules, copy, at);
  const { name, omitted } = manifest.company!;
  await copy.logImport(uuidIds.newId(), { name, exportedAt: manifest.createdAt }, at);
  const { adapterTypes, ...wanted } = await copy.wanted();
  return {
    sameName: await copy.sameName(),
    wanted: {
      ...wanted,
      secrets,
      adapters: await rules.missingAdapters(adapterTypes),
      settings: omitted,
    },
  };
};

/** Ticks and timers that were due before belong to the original. */
const setTicks = async (
  { calendar, nextTick }: Pick<ImportRules, "calendar" | "nextTick">,
  copy: CopiedCompany,
  at: Instant,
): Promise<void> => {
  for (const { id, ...schedule } of await copy.schedules()) {
    if (
      calendar.refuse({
        cronExpression: schedule.cronExpression ?? "",
        timezone: schedule.timezone ?? "",
      }) !== null
    )
      throw new CompanyRefused("The file has a routine with a schedule that no company can have.");
    await copy.setTick(id, nextTick(schedule, at), at);
  }
  for (const { id, hadTimer, runtimeConfig } of await copy.agents())
    if (hadTimer) await copy.setTimer(id, nextTimer({ runtimeConfig }, at));
};
