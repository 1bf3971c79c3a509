import decodeQR from "qr/decode.js";

/** Reads a QR code as a camera would: `rows` has true for each dark module. */
export const readQrCode = (rows: readonly (readonly boolean[])[]): string => {
  const scale = 4;
  const size = rows.length * scale;
  const data = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const isDark = rows[Math.floor(y / scale)]?.[Math.floor(x / scale)] ?? false;
      data.set(isDark ? [0, 0, 0, 255] : [255, 255, 255, 255], (y * size + x) * 4);
    }
  return decodeQR({ width: size, height: size, data });
};

/** The modules of a code that is drawn in blocks, light on a dark terminal, two rows a line. */
export const modulesOfBlocks = (text: string): readonly (readonly boolean[])[] => {
  const lines = text.split("\n").filter((line) => /^[█▀▄ ]+$/.test(line) && line.includes("█"));
  const size = lines[0]!.length;
  const rows = lines.flatMap((line) =>
    ["▀", "▄"].map((half) => Array.from(line, (block) => block !== "█" && block !== half)),
  );
  return rows.slice(0, size);
};
