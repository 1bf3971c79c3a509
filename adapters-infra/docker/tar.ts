/** An entry of an archive; a folder where it has no text. */
export interface TarEntry {
  /** Relative, of at most 99 characters of ASCII. */
  readonly path: string;
  readonly text?: string;
  readonly mode: number;
  readonly uid: number;
}

const block = 512;

/** An archive in the form that all versions of tar read (ustar). */
export const tarOf = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.flatMap(entryOf), Buffer.alloc(2 * block)]);

const entryOf = ({ path, text, mode, uid }: TarEntry): readonly Buffer[] => {
  const body = Buffer.from(text ?? "");
  const head = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  head.write(path, 0, 99, "latin1");
  octal(mode, 100, 8);
  octal(uid, 108, 8);
  octal(uid, 116, 8);
  octal(body.length, 124, 12);
  octal(0, 136, 12);
  // The sum is taken over the header with blanks in its own place.
  head.write("        ", 148, "latin1");
  head.write(text === undefined ? "5" : "0", 156, "latin1");
  head.write("ustar\x0000", 257, "latin1");
  let sum = 0;
  for (const byte of head) sum += byte;
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return [head, body, Buffer.alloc((block - (body.length % block)) % block)];
};
