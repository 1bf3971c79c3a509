import type { CommonOptions } from "../connection/session.ts";
import { openSession } from "../connection/session.ts";
import { harmless, type Terminal } from "../terminal.ts";
import type { Candidate } from "./candidate.ts";

/** The list that offers the values of a parameter. */
interface Source {
  /** Group and action of the endpoint. */
  readonly list: readonly [group: string, action: string];
  readonly value: string;
  readonly words: readonly string[];
  /** The parameter before it that the list is of; otherwise it is of the company, or of everything. */
  readonly of?: string;
}

const sources: Readonly<Record<string, Source>> = {
  companyId: { list: ["companies", "list"], value: "issuePrefix", words: ["name"] },
  agentId: { list: ["agents", "list"], value: "urlKey", words: ["name", "status"] },
  issueId: { list: ["issues", "list"], value: "identifier", words: ["title", "status"] },
  runId: { list: ["runs", "list"], value: "id", words: ["agentName", "issueIdentifier", "status"] },
  projectId: { list: ["projects", "list"], value: "id", words: ["name"] },
  goalId: { list: ["goals", "list"], value: "id", words: ["title"] },
  routineId: { list: ["routines", "list"], value: "id", words: ["title", "status"] },
  approvalId: { list: ["approvals", "list"], value: "id", words: ["type", "status"] },
  grantId: { list: ["grants", "list"], value: "id", words: ["permission"] },
  secretId: { list: ["secrets", "list"], value: "id", words: ["name"] },
  vaultId: { list: ["vaults", "list"], value: "id", words: ["displayName"] },
  providerConfigId: { list: ["vaults", "list"], value: "id", words: ["displayName"] },
  labelId: { list: ["labels", "list"], value: "id", words: ["name"] },
  userId: { list: ["members", "people"], value: "userId", words: ["name"] },
  tokenId: { list: ["tokens", "list"], value: "id", words: ["name"] },
  entryId: { list: ["inbox", "list"], value: "id", words: ["title"] },
  adapterType: { list: ["adapters", "list"], value: "type", words: ["label"] },
  runnerName: { list: ["runners", "list"], value: "name", words: ["kind"] },
  keyId: { list: ["agents", "keys"], value: "id", words: ["name"], of: "agentId" },
  commentId: { list: ["issues", "comments"], value: "id", words: ["body"], of: "issueId" },
  interactionId: { list: ["interactions", "list"], value: "id", words: ["kind", "status"], of: "issueId" },
  attachmentId: { list: ["attachments", "list"], value: "id", words: ["originalFilename"], of: "issueId" },
  key: { list: ["documents", "list"], value: "key", words: ["title"], of: "issueId" },
};

/** Gives the parameter that a field's values are of: `assigneeAgentId` and `labelIds` have those of `agentId` and `labelId`. */
export const paramOf = (field: string): string | null => {
  const one = field.replace(/Ids$/, "Id");
  if (Object.hasOwn(sources, one)) return one;
  if (one.endsWith("UserId")) return "userId";
  return null;
};

/** A person waits for the Tab key only for a moment. */
const patienceMs = 1_000;

/** Reads the values of a parameter from the service; none if it does not answer in time, or refuses. */
export const knownThings = async (
  param: string,
  given: Readonly<Record<string, string>>,
  options: CommonOptions,
  terminal: Terminal,
): Promise<readonly Candidate[]> => {
  const source = sources[param];
  if (source === undefined) return [];
  try {
    const session = await openSession(options, terminal, AbortSignal.timeout(patienceMs));
    const [group, action] = source.list;
    const groups = session.client as unknown as Record<
      string,
      Record<string, (input: object) => Promise<unknown>>
    >;
    const input = await inputOf(source, given, session.company);
    const answer = await groups[group]![action]!(input);
    const rows = (Array.isArray(answer) ? answer : (answer as { items: unknown[] }).items) as Row[];
    return rows.flatMap((row) => candidateOf(row, source));
  } catch {
    return [];
  }
};

type Row = Readonly<Record<string, unknown>>;

const ofNothing = new Set(["companies", "adapters", "runners", "tokens", "inbox"]);

const inputOf = async (
  { list: [group], of }: Source,
  given: Readonly<Record<string, string>>,
  company: () => Promise<string>,
): Promise<Readonly<Record<string, string>>> => {
  if (ofNothing.has(group)) return {};
  const named = of === undefined ? undefined : given[of];
  if (of === undefined || named === undefined) return { companyId: await company() };
  return of === "agentId" ? { [of]: named, companyId: await company() } : { [of]: named };
};

const longestWords = 60;

/** The words of agents reach a terminal: they are one line without controls, and a value that a shell could read is left out. */
const candidateOf = (row: Row, { value, words }: Source): readonly Candidate[] => {
  const text = row[value];
  if (typeof text !== "string" || !/^[\w.:@/-]+$/.test(text)) return [];
  const said = words
    .map((name) => row[name])
    .filter((part) => typeof part === "string")
    .join(" · ");
  return [{ value: text, words: harmless(said).replace(/\s+/g, " ").trim().slice(0, longestWords) }];
};
