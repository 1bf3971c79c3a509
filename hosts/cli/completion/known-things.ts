import type { CommonOptions } from "../connection/session.ts";
import { openSession } from "../connection/session.ts";
import { harmless, type Terminal } from "../terminal.ts";
import type { Candidate } from "./candidate.ts";

/** The list that offers the values of a parameter. */
interface Source {
  /** Group and action of the endpoint. */
  readonly list: readonly [group: string, action: string];
  readonly value: string;
  readonly describedBy: readonly string[];
  /** The parameter before it that the list is of; otherwise it is of the company, or of everything. */
  readonly of?: string;
}

const sources: Readonly<Record<string, Source>> = {
  companyId: { list: ["companies", "list"], value: "issuePrefix", describedBy: ["name"] },
  agentId: { list: ["agents", "list"], value: "urlKey", describedBy: ["name", "status"] },
  issueId: { list: ["issues", "list"], value: "identifier", describedBy: ["title", "status"] },
  runId: { list: ["runs", "list"], value: "id", describedBy: ["agentName", "issueIdentifier", "status"] },
  projectId: { list: ["projects", "list"], value: "id", describedBy: ["name"] },
  goalId: { list: ["goals", "list"], value: "id", describedBy: ["title"] },
  routineId: { list: ["routines", "list"], value: "id", describedBy: ["title", "status"] },
  approvalId: { list: ["approvals", "list"], value: "id", describedBy: ["type", "status"] },
  grantId: { list: ["grants", "list"], value: "id", describedBy: ["permission"] },
  secretId: { list: ["secrets", "list"], value: "id", describedBy: ["name"] },
  vaultId: { list: ["vaults", "list"], value: "id", describedBy: ["displayName"] },
  providerConfigId: { list: ["vaults", "list"], value: "id", describedBy: ["displayName"] },
  labelId: { list: ["labels", "list"], value: "id", describedBy: ["name"] },
  userId: { list: ["members", "people"], value: "userId", describedBy: ["name"] },
  tokenId: { list: ["tokens", "list"], value: "id", describedBy: ["name"] },
  entryId: { list: ["inbox", "list"], value: "id", describedBy: ["title"] },
  adapterType: { list: ["adapters", "list"], value: "type", describedBy: ["label"] },
  runnerName: { list: ["runners", "list"], value: "name", describedBy: ["kind"] },
  keyId: { list: ["agents", "keys"], value: "id", describedBy: ["name"], of: "agentId" },
  commentId: { list: ["issues", "comments"], value: "id", describedBy: ["body"], of: "issueId" },
  interactionId: {
    list: ["interactions", "list"],
    value: "id",
    describedBy: ["kind", "status"],
    of: "issueId",
  },
  attachmentId: {
    list: ["attachments", "list"],
    value: "id",
    describedBy: ["originalFilename"],
    of: "issueId",
  },
  key: { list: ["documents", "list"], value: "key", describedBy: ["title"], of: "issueId" },
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

const longestDescription = 60;

/** Texts of agents reach a terminal: each is one line without controls, and a value that a shell could read is left out. */
const candidateOf = (row: Row, { value, describedBy }: Source): readonly Candidate[] => {
  const text = row[value];
  if (typeof text !== "string" || !/^[\w.:@/-]+$/.test(text)) return [];
  const described = describedBy
    .map((name) => row[name])
    .filter((part) => typeof part === "string")
    .join(" · ");
  return [
    {
      value: text,
      description: harmless(described).replace(/\s+/g, " ").trim().slice(0, longestDescription),
    },
  ];
};
