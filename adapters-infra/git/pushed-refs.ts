/** One command of a push. */
export interface PushedRef {
  readonly old: string;
  readonly new: string;
  readonly ref: string;
}

export interface PushCommands {
  readonly refs: readonly PushedRef[];
  /** The client wants its answer in side-band-64k. */
  readonly sideBand: boolean;
}

const command = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/[^\s\0]+)\n?$/;

/** Reads the refs that a push names: the lines up to the first flush. null: more bytes are needed. */
export const pushCommands = (body: Buffer): PushCommands | "malformed" | null => {
  const refs: PushedRef[] = [];
  let sideBand = false;
  for (let at = 0; ; ) {
    if (body.length < at + 4) return null;
    const digits = body.toString("latin1", at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) return "malformed";
    const length = Number.parseInt(digits, 16);
    if (length === 0) return { refs, sideBand };
    if (length < 5) return "malformed";
    if (body.length < at + length) return null;
    const [line = "", capabilities = ""] = body.toString("utf8", at + 4, at + length).split("\0");
    const match = command.exec(line);
    if (match === null) return "malformed";
    if (/\bside-band-64k\b/.test(capabilities)) sideBand = true;
    refs.push({ old: match[1]!, new: match[2]!, ref: match[3]! });
    at += length;
  }
};

/** A line of git's protocol. */
export const pktLine = (text: string): string =>
  (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;

/** Refuses a push in the words of the protocol, so that git shows the reason next to each ref. */
export const refusedPush = (
  { refs, sideBand }: PushCommands,
  reasonOf: (ref: PushedRef) => string | null,
): string => {
  const lines = refs.map((each) => pktLine(`ng ${each.ref} ${reasonOf(each) ?? "nothing was stored"}\n`));
  const report = `${pktLine("unpack ok\n")}${lines.join("")}0000`;
  if (!sideBand) return report;
  // A packet of the side band holds at most 65,515 bytes.
  const parts: string[] = [];
  for (let at = 0; at < report.length; at += 60_000)
    parts.push(pktLine(`\u0001${report.slice(at, at + 60_000)}`));
  return `${parts.join("")}0000`;
};
