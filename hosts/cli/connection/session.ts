import { isUuid } from "../../../core/model/shared/ids.ts";
import type { Client } from "../../library/client.ts";
import { BoardroomError } from "../../library/client-error.ts";
import type { CallOptions } from "../../library/send.ts";
import type { Noun } from "../endpoints/flags.ts";
import { CommandFailed, UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { type Connection, type ConnectOptions, connect, findService } from "./connect.ts";

/** Options of every command. */
export interface CommonOptions extends ConnectOptions {
  readonly company?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** The service as one command sees it: the caller, the company and the names of things. */
export interface Session {
  readonly client: Client;
  readonly connection: Connection;
  readonly callOptions: CallOptions;
  /** @throws UsageError if several companies match. */
  company(): Promise<string>;
  /** The company that an issue belongs to. */
  companyOfIssue(issueId: string): Promise<string>;
  /** Finds the id for a short name. */
  idOf(noun: Noun, name: string): Promise<string>;
  /** Reads the names of a company's agents and people. On failure the CLI shows ids. */
  names(companyId: string | null): Promise<ReadonlyMap<string, string>>;
}

/** Opens a session; a signal ends all of its calls. */
export const openSession = async (
  options: CommonOptions,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<Session> => {
  const connection = await findService(options, terminal.env);
  const client = connect(connection, signal);
  const callOptions = { runId: connection.runId };
  let company: Promise<string> | undefined;
  const companyOf = () => {
    company ??= meantCompany(client, options.company ?? (terminal.env.SERVICE_COMPANY_ID || undefined));
    return company;
  };
  return {
    client,
    connection,
    callOptions,
    company: companyOf,
    companyOfIssue: async (issueId) => (await client.issues.get({ issueId }, callOptions)).companyId,
    idOf: async (noun, name) => {
      if (isUuid(name)) return name;
      if (noun === "issue") return (await client.issues.get({ issueId: name }, callOptions)).id;
      return (await client.agents.get({ agentId: name, companyId: await companyOf() }, callOptions)).id;
    },
    names: async (companyId) => {
      const of = companyId ?? (await companyOf().catch(() => null));
      if (of === null) return new Map();
      const [agents, members, people, self] = await Promise.all([
        client.agents.list({ companyId: of }).catch(() => []),
        client.members.list({ companyId: of }).catch(() => []),
        client.members.people({ companyId: of }).catch(() => []),
        client.session.get().catch(() => null),
      ]);
      return new Map([
        ...agents.map(({ id, name }): [string, string] => [id, name]),
        ...[...members, ...people].map(({ userId, name }): [string, string] => [userId, name]),
        ...(self === null ? [] : [[self.userId, self.name] as [string, string]]),
      ]);
    },
  };
};

/** Finds a company by id, issue prefix or name; without any of them, the only company. */
const meantCompany = async (client: Client, name: string | undefined): Promise<string> => {
  if (name !== undefined && isUuid(name)) return name;
  const companies = await accessible(client);
  const list = companies.map((company) => `${company.issuePrefix} (${company.name})`).join(", ");
  if (name !== undefined) {
    const wanted = name.toLowerCase();
    const matching = companies.filter(
      (company) => company.issuePrefix.toLowerCase() === wanted || company.name.toLowerCase() === wanted,
    );
    if (matching.length === 1) return matching[0]!.id;
    throw new UsageError(
      matching.length === 0
        ? `No company is called "${name}"${list === "" ? "" : `; there are ${list}`}.`
        : `Several companies are called "${name}". Use the id.`,
    );
  }
  if (companies.length === 1) return companies[0]!.id;
  throw companies.length === 0
    ? new CommandFailed("No companies yet. Create one: `boardroom companies create --name …`.", "no_company")
    : new UsageError(`Name the company with -C (id, prefix or name): ${list}.`);
};

const accessible = async (
  client: Client,
): Promise<readonly { id: string; name: string; issuePrefix: string }[]> => {
  try {
    return await client.companies.list();
  } catch (error) {
    // Only board users list companies; an agent belongs to one.
    if (!(error instanceof BoardroomError) || error.status !== 403) throw error;
    const { companyId } = await client.agents.me();
    return [{ id: companyId, name: "", issuePrefix: "" }];
  }
};
