import type { ArchivePart, ArchiveWriter } from "./archive-writer.ts";

/** Bytes of one part. A record is never divided, so that a larger one makes a larger part. */
const partBytes = 4 * 1024 * 1024;

/** Collects records into parts of the archive, so that no more than one part is in memory. */
export interface PartWriter {
  /** The bytes are kept until the part is written, and end with a record. */
  add(records: Buffer): Promise<void>;
  end(): Promise<readonly ArchivePart[]>;
}

export const partWriter = (archive: Pick<ArchiveWriter, "add">, folder: string): PartWriter => {
  const parts: ArchivePart[] = [];
  let pending: Buffer[] = [];
  let bytes = 0;
  const flush = async () => {
    if (bytes === 0) return;
    const data = Buffer.concat(pending);
    pending = [];
    bytes = 0;
    parts.push(await archive.add(`${folder}/${String(parts.length + 1).padStart(6, "0")}`, data));
  };
  return {
    add: async (records) => {
      pending.push(records);
      bytes += records.length;
      if (bytes >= partBytes) await flush();
    },
    end: async () => {
      await flush();
      return parts;
    },
  };
};
