import { changed } from "./backup-unusable.ts";

export const tarBlock = 512;
/** Begins and ends the field of the checksum in a header. */
const sumAt = 148;
const sumEnd = 156;

/** The header of a file in the form that all versions of tar read (ustar). The name has at most 99 characters. */
export const tarHeader = (name: string, bytes: number, at: Date): Buffer => {
  const head = Buffer.alloc(tarBlock);
  const octal = (value: number, start: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, "0")}\0`, start, "latin1");
  head.write(name, 0, 99, "latin1");
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.floor(at.getTime() / 1000), 136, 12);
  head.write("0", 156, "latin1");
  head.write("ustar\x0000", 257, "latin1");
  head.write(`${sumOf(head).toString(8).padStart(6, "0")}\0 `, sumAt, "latin1");
  return head;
};

export const paddingAfter = (bytes: number): number => (tarBlock - (bytes % tarBlock)) % tarBlock;

/** Returns null for the block of zeros that ends an archive. */
export const readTarHeader = (block: Buffer): { readonly name: string; readonly bytes: number } | null => {
  if (block.every((byte) => byte === 0)) return null;
  const octal = (start: number, length: number) =>
    Number.parseInt(block.toString("latin1", start, start + length).replace(/[\0 ]+$/, ""), 8);
  const bytes = octal(124, 12);
  if (octal(sumAt, 8) !== sumOf(block) || !Number.isSafeInteger(bytes) || bytes < 0) throw changed();
  return { name: block.toString("latin1", 0, 100).replace(/\0.*$/s, ""), bytes };
};

/** The sum is taken over the header with blanks in its own place. */
const sumOf = (head: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < tarBlock; at++) sum += at >= sumAt && at < sumEnd ? 32 : head[at]!;
  return sum;
};
