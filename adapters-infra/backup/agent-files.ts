import { type LeftOut, treeEntries } from "./agent-trees.ts";
import type { Member } from "./archive-member.ts";

/** The folders of agents on this machine, with the ids by which their sessions find them again. */
export const workspaceFolders = ["workspaces", "homes"] as const;

/** Entries that are no files, links or folders, or that cannot be read. */
export interface LeftOutFiles {
  readonly count: number;
  /** The first ones, with the reason. */
  readonly names: readonly string[];
}

const namedLeftOut = 100;

const reasons: Readonly<Record<LeftOut["why"], string>> = {
  not_a_file: "a socket, a pipe or a device",
  unreadable: "cannot be read",
  too_deep: "too deep",
};

/** Reads the workspaces and homes of a data directory; `leftOut` is complete after the last entry. */
export const workspaceEntries = (
  dataDir: string,
): { readonly entries: AsyncGenerator<Member, void>; leftOut(): LeftOutFiles } => {
  const names: string[] = [];
  let count = 0;
  const entries = treeEntries(dataDir, workspaceFolders, ({ name, why }) => {
    count += 1;
    if (names.length < namedLeftOut) names.push(`${printable(name)} (${reasons[why]})`);
  });
  return { entries, leftOut: () => ({ count, names }) };
};

/** Names may have control characters, which would change what a terminal shows. */
const printable = (name: string): string =>
  JSON.stringify(Buffer.from(name, "latin1").toString("utf8"))
    .slice(1, -1)
    .replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "?");

/** How much there is, as of now. */
export const measureWorkspaces = async (dataDir: string) => {
  let count = 0;
  let bytes = 0;
  for await (const entry of workspaceEntries(dataDir).entries) {
    count += 1;
    bytes += entry.bytes;
  }
  return { count, bytes };
};
