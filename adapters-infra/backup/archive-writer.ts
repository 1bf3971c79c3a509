import { createHash } from "node:crypto";
import { constants, createGzip } from "node:zlib";
import { withDigest } from "./digest-member.ts";
import { seal } from "./sealing.ts";
import { paddingAfter, tarBlock, tarHeader } from "./tar.ts";

/** An entry of the archive as the manifest lists it. */
export interface ArchivePart {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ArchiveWriter {
  /** The bytes of the file. Must be read while entries are added. */
  readonly output: AsyncIterable<Buffer>;
  add(name: string, data: Buffer): Promise<ArchivePart>;
  end(): Promise<void>;
  /** Makes `output` fail. */
  fail(error: Error): void;
}

/** Writes a tar archive through gzip, encrypted where there is a passphrase. */
export const archiveWriter = (passphrase: string | null, at: Date): ArchiveWriter => {
  // Higher levels cost several times the processor time, which the service needs, for a tenth of the size.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // A place that fails before it reads listens to nothing, and its error would end the service.
  gzip.on("error", () => {});
  const write = (data: Buffer) =>
    new Promise<void>((resolve, reject) => {
      gzip.write(data, (error) => (error ? reject(error) : resolve()));
    });
  const digested = withDigest(gzip as AsyncIterable<Buffer>);
  return {
    output: passphrase === null ? digested : seal(digested, passphrase),
    add: async (name, data) => {
      await write(tarHeader(name, data.length, at));
      await write(data);
      const padding = paddingAfter(data.length);
      if (padding > 0) await write(Buffer.alloc(padding));
      return { name, bytes: data.length, sha256: createHash("sha256").update(data).digest("hex") };
    },
    end: async () => {
      await write(Buffer.alloc(2 * tarBlock));
      gzip.end();
    },
    fail: (error) => void gzip.destroy(error),
  };
};
