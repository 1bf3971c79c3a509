import { createHash } from "node:crypto";
import type { Header } from "tar-stream";
import { changed } from "./backup-failures.ts";

/** A member of an archive, or an entry of a folder that becomes one. Names are bytes, here as latin1, with slashes. */
export interface Member {
  readonly kind: "folder" | "file" | "link";
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly modifiedMs: number;
  readonly bytes: number;
  /** The bytes of a file, or the target of a link; nothing of a folder. Usable until the next member is taken. */
  data(): AsyncIterable<Buffer>;
}

/** Limits of the numbers of a header in the form that all versions of tar read; larger ones are extended attributes. */
const maxId = 0o777777;
const maxModifiedSec = 0o17777777777;
const kinds = { folder: "directory", file: "file", link: "symlink" } as const;
/** Names that are not UTF-8, in base64. `tar` shows and unpacks them with replacement characters. */
const rawName = { path: "BOARDROOM.path", linkpath: "BOARDROOM.linkpath" };

/** The header of a member, which is in the form of POSIX (pax) where the older one does not have its values. */
export const headerOf = (
  member: Omit<Member, "data">,
  target: Buffer | null,
): Partial<Header> & Pick<Header, "name"> => {
  const { kind, mode, uid, gid, modifiedMs } = member;
  const pax: Record<string, string> = {};
  const textOf = (bytes: Buffer, key: keyof typeof rawName): string => {
    const text = bytes.toString("utf8");
    if (!Buffer.from(text).equals(bytes)) pax[rawName[key]] = bytes.toString("base64");
    return text;
  };
  const name = textOf(Buffer.from(member.name, "latin1"), "path");
  const linkname = target === null ? undefined : textOf(target, "linkpath");
  if (uid > maxId) pax.uid = String(uid);
  if (gid > maxId) pax.gid = String(gid);
  const seconds = Math.min(Math.max(0, Math.floor(modifiedMs / 1000)), maxModifiedSec);
  if (seconds * 1000 !== modifiedMs) pax.mtime = (modifiedMs / 1000).toFixed(3);
  return {
    name: kind === "folder" ? `${name}/` : name,
    type: kinds[kind],
    size: kind === "file" ? member.bytes : 0,
    // The type of a file, which tar leaves out, keeps the library from taking another mode for 0.
    mode: (mode & 0o777) | 0o100000,
    ...{ uid: Math.min(uid, maxId), gid: Math.min(gid, maxId) },
    mtime: new Date(Math.min(seconds, 2 ** 31 - 1) * 1000),
    ...(linkname === undefined ? {} : { linkname }),
    ...(Object.keys(pax).length === 0 ? {} : { pax }),
  };
};

/** Reads a header. Refuses members of other kinds, which no backup has. */
export const memberOf = (header: Header): Omit<Member, "data"> & { readonly target: Buffer | null } => {
  const pax = (header.pax ?? {}) as Readonly<Record<string, string | undefined>>;
  const bytesOf = (text: string, key: keyof typeof rawName): Buffer => {
    const raw = pax[rawName[key]];
    return raw === undefined ? Buffer.from(text) : Buffer.from(raw, "base64");
  };
  const numberOf = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isFinite(value)) throw changed();
    return value;
  };
  const kind = Object.entries(kinds).find(([, type]) => type === header.type)?.[0] as
    | Member["kind"]
    | undefined;
  if (kind === undefined) throw changed();
  return {
    kind,
    name: bytesOf(header.name, "path").toString("latin1").replace(/\/$/, ""),
    mode: header.mode & 0o777,
    uid: numberOf(pax.uid, header.uid),
    gid: numberOf(pax.gid, header.gid),
    modifiedMs: Math.round(numberOf(pax.mtime, header.mtime.getTime() / 1000) * 1000),
    bytes: header.size,
    target: kind === "link" ? bytesOf(header.linkname ?? "", "linkpath") : null,
  };
};

/** The folder of the members that have checksums of all files before them. */
export const checksumFolder = "checksums";
/** So many files are read before they are compared. */
export const filesPerChecksums = 1_000;

/** A line of `sha256sum`, which escapes names with line ends. */
export const checksumLine = (member: Pick<Member, "name">, sha256: string): string => {
  const name = Buffer.from(member.name, "latin1").toString("utf8");
  const escaped = name.replace(/[\\\n\r]/g, (each) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[each]!);
  return `${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`;
};

export async function* hashed(
  source: AsyncIterable<Uint8Array>,
  onDigest: (sha256: string) => void,
): AsyncGenerator<Buffer, void> {
  const hash = createHash("sha256");
  for await (const piece of source) {
    hash.update(piece);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
  onDigest(hash.digest("hex"));
}
