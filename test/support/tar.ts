import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export interface TarEntry {
  readonly path: string;
  readonly text?: string;
  /** 0 a file, 1 a hard link, 2 a symbolic link, 3 a device. */
  readonly kind?: "0" | "1" | "2" | "3";
  readonly link?: string;
}

/** An archive with arbitrary paths and links. */
export const tarball = (entries: readonly TarEntry[]): Buffer =>
  gzipSync(Buffer.concat([...entries.flatMap(entryOf), Buffer.alloc(1024)]));

/** A folder as npm packs it, without npm, whose start takes longer than most tests. */
export const packed = (folder: string): Buffer =>
  tarball(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => ({ path: `package/${path}`, text: readFileSync(join(folder, path), "utf8") })),
  );

const entryOf = ({ path, text = "", kind = "0", link = "" }: TarEntry): readonly Buffer[] => {
  const body = Buffer.from(text);
  const header = Buffer.alloc(512);
  const field = (at: number, value: string) => header.write(value, at);
  field(0, path);
  field(100, "0000644\0");
  field(108, "0000000\0");
  field(116, "0000000\0");
  field(124, `${body.length.toString(8).padStart(11, "0")}\0`);
  field(136, "00000000000\0");
  field(148, "        ");
  field(156, kind);
  field(157, link);
  field(257, "ustar\x0000");
  const sum = header.reduce((total, byte) => total + byte, 0);
  field(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
};
