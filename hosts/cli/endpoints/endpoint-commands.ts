import { type Command, Option } from "commander";
import { isUuid } from "../../../core/model/shared/ids.ts";
import type { CommonOptions, Session } from "../connection/session.ts";
import { UsageError } from "../failure.ts";
import { kebab } from "../kebab.ts";
import type { Terminal } from "../terminal.ts";
import { answer } from "./answer-command.ts";
import { declaredCommands } from "./declared-commands.ts";
import type { EndpointCommand } from "./endpoint-command.ts";
import { examplesOf } from "./examples.ts";
import { type Field, readField, termOf } from "./flags.ts";
import { timerNote } from "./timer-note.ts";

interface GroupHelp {
  readonly heading: string;
  readonly summary: string;
}

const groupHelp: Readonly<Record<string, GroupHelp>> = {
  inbox: { heading: "Work:", summary: "Entries that need your action, in all companies" },
  companies: { heading: "Work:", summary: "Create, change, pause and archive companies" },
  agents: { heading: "Work:", summary: "Hire, configure, wake, pause and terminate agents" },
  issues: { heading: "Work:", summary: "Create, assign, check out, discuss and finish issues" },
  interactions: {
    heading: "Work:",
    summary: "Requests in an issue's thread: confirm, answer, choose tasks",
  },
  documents: { heading: "Work:", summary: "Plans and other texts of an issue, with their history" },
  attachments: { heading: "Work:", summary: "Files of an issue" },
  labels: { heading: "Work:", summary: "Labels of issues" },
  watchers: { heading: "Work:", summary: "People who watch issues" },
  savedViews: { heading: "Work:", summary: "Saved views of issues" },
  assets: { heading: "Work:", summary: "A company's logo" },
  runs: { heading: "Work:", summary: "See what agents did and why; follow and cancel runs" },
  routines: { heading: "Work:", summary: "Recurring work: schedules, webhooks, their runs and revisions" },
  projects: { heading: "Work:", summary: "Projects that issues belong to" },
  mcpServers: { heading: "Work:", summary: "MCP servers whose tools agents get" },
  eventSubscriptions: {
    heading: "Work:",
    summary: "Send events to webhooks and chats; see the answers",
  },
  repositories: { heading: "Work:", summary: "Git repositories of projects" },
  workspaces: { heading: "Work:", summary: "Workspaces of issues, and what their runs left" },
  goals: { heading: "Work:", summary: "Goals that issues serve" },
  approvals: { heading: "Work:", summary: "Hires, strategy and ownership: request, decide, see who can" },
  grants: { heading: "Work:", summary: "Approvals that agents can decide" },
  costs: { heading: "Work:", summary: "Costs by agent, project, model and day" },
  adapters: {
    heading: "Work:",
    summary: "Adapters, which run agents' programs: install, test, make your own",
  },
  runners: { heading: "Work:", summary: "Where programs of agents run" },
  volumes: { heading: "Work:", summary: "The hosts of agents, and where their workspaces are" },
  activity: { heading: "Work:", summary: "The activity log of a company" },
  secrets: { heading: "Work:", summary: "Store, rotate, link and import secrets" },
  vaults: { heading: "Work:", summary: "Vaults, which store secrets" },
  members: { heading: "People and access:", summary: "Roles of board users in a company" },
  users: { heading: "People and access:", summary: "Board users" },
  tokens: { heading: "People and access:", summary: "Board tokens" },
  assistants: { heading: "People and access:", summary: "Programs that act for you" },
  pushSubscriptions: { heading: "People and access:", summary: "Browsers that show you notices" },
  passkeys: { heading: "People and access:", summary: "Your passkeys" },
  session: { heading: "People and access:", summary: "Your identity; web sessions" },
  system: { heading: "The service:", summary: "Health, events, metrics and the interface's description" },
};

/** The command of a group that runs when none is named: `boardroom inbox`. */
const defaultActions: Readonly<Record<string, string>> = { inbox: "list" };

/** Shorter names of groups and commands. */
const aliases: Readonly<Record<string, string>> = {
  companies: "company",
  agents: "agent",
  issues: "issue",
  runs: "run",
  projects: "project",
  routines: "routine",
  repositories: "repository",
  mcpServers: "mcp-server",
  eventSubscriptions: "event-subscription",
  workspaces: "workspace",
  goals: "goal",
  get: "show",
};

/**
 * Adds a group of commands for each noun, and one command for each endpoint of the groups that the command line names:
 * `boardroom issues checkout <issueId> --agent-id …`.
 */
export const addEndpointCommands = (program: Command, args: readonly string[], terminal: Terminal): void => {
  for (const name of endpointGroups) {
    const { heading, summary } = groupHelp[name] ?? { heading: "Work:", summary: "" };
    const group = program.command(kebab(name)).description(summary).helpGroup(heading);
    const alias = aliases[name];
    if (alias) group.alias(alias);
    if (args.some((word) => word === group.name() || word === alias))
      for (const command of declaredCommands)
        if (command.group === name) addCommand(group, command, terminal);
  }
};

const endpointGroups: ReadonlySet<string> = new Set(declaredCommands.map(({ group }) => group));

/** The groups as they are typed. */
export const groupNames: ReadonlySet<string> = new Set([...endpointGroups].map(kebab));

const addCommand = (group: Command, named: EndpointCommand, terminal: Terminal): void => {
  const { action, name, params, fields, summary, description } = named;
  const command = group
    .command(kebab(action), { isDefault: defaultActions[named.group] === action })
    .summary(summary)
    .description(`${summary}.${description === null ? "" : `\n${description}`}`)
    // Arguments are counted below: the first companyId is optional, which commander cannot express.
    .allowExcessArguments(true)
    .usage(
      [...params.map(({ name }) => (name === "companyId" ? "[companyId]" : `<${name}>`)), "[options]"].join(
        " ",
      ),
    );
  const alias = aliases[action];
  // An alias must not hide another command: `routines runs` lists runs, `routines run` starts one.
  if (
    alias !== undefined &&
    !declaredCommands.some((other) => other.group === named.group && other.action === alias)
  )
    command.alias(alias);
  for (const param of params)
    command.argument(`[${param.name}]`, `${param.help}${param.name === "companyId" ? "; or -C" : ""}`);
  for (const field of fields) for (const option of optionsFor(field)) command.addOption(option);
  if (named.media === "file")
    command.option("-o, --output <path>", "path of the saved file; - is standard output");
  if (named.media === "page") command.option("--all", "fetch every page");
  if (named.creates)
    command.option("--idempotency-key <key>", "run the same request at most once within 24 hours");
  const shown = examplesOf(
    name,
    params.map((param) => param.name),
  );
  command.addHelpText(
    "after",
    `\nExample${shown.length === 1 ? "" : "s"}:\n${shown.map((line) => wrappedLine(`boardroom ${kebab(named.group)} ${kebab(action)} ${line}`.trimEnd(), terminal.width ?? 80)).join("\n")}`,
  );
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & Record<string, unknown>>();
    await run(named, command.args, options, terminal);
  });
};

/** Wraps a command line with backslashes, so that a shell accepts it. */
const wrappedLine = (line: string, width: number): string => {
  const lines: string[] = [];
  let current = " ";
  for (const part of line.split(/ (?=--)/)) {
    if (current.length + part.length + 3 > width && current.trim() !== "") {
      lines.push(`${current} \\`);
      current = "     ";
    }
    current += ` ${part}`;
  }
  return [...lines, current].join("\n");
};

const optionsFor = (field: Field): Option[] => {
  const option = new Option(termOf(field), field.help);
  if (field.kind.type === "switch") return [option, new Option(`--no-${field.flag}`).hideHelp()];
  // Repeated flags accumulate; a flag with one value uses the last.
  return [option.argParser((value: string, before: readonly string[] = []) => [...before, value])];
};

/** Gives the name under which commander stores a flag's value. */
const attribute = (flag: string): string =>
  flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const run = async (
  named: EndpointCommand,
  args: readonly string[],
  options: CommonOptions & Record<string, unknown>,
  terminal: Terminal,
): Promise<void> => {
  const { fields } = named;
  const params = readParams(named, args);
  const missing = fields.filter(({ required, flag }) => required && options[attribute(flag)] === undefined);
  if (missing.length > 0)
    throw new UsageError(
      `Missing ${missing.map((field) => termOf(field)).join(" and ")}. Use --help to see the usage.`,
    );
  const typed = await readFields(fields, options, terminal);
  const { openSession } = await import("../connection/session.ts");
  const session = await openSession({ ...options, company: params.companyId ?? options.company }, terminal);
  const input: Record<string, unknown> = { ...params, ...(await resolveReferences(fields, typed, session)) };
  if (named.params.some(({ name }) => name === "companyId"))
    input.companyId =
      params.companyId === undefined && params.issueId !== undefined
        ? await session.companyOfIssue(params.issueId)
        : await session.company();
  // A urlKey of an agent needs its company; an id does not.
  const needsCompany = named.takesCompany && !isUuid(params.agentId ?? "");
  if (needsCompany && input.agentId !== undefined) input.companyId = await session.company();
  Object.assign(input, await commandDefaults(named.name, session, input));
  const note = options.json || options.quiet ? null : await timerNote(named.name, session, input);
  if (note !== null) terminal.err(`${note}\n`);
  const callOptions = {
    ...session.callOptions,
    idempotencyKey: options.idempotencyKey as string | undefined,
  };
  await answer(named, session, { input, callOptions }, options, terminal);
};

const readParams = (named: EndpointCommand, args: readonly string[]): Partial<Record<string, string>> => {
  const all = named.params;
  const needed = all.filter(({ name }) => name !== "companyId");
  const usage = `boardroom ${kebab(named.group)} ${kebab(named.action)} ${needed.map(({ name }) => `<${name}>`).join(" ")}`;
  if (args.length < needed.length) {
    const lacking = needed[args.length]!;
    throw new UsageError(`Missing ${lacking.help}: \`${usage}\`.`);
  }
  if (args.length > all.length)
    throw new UsageError(`Unexpected argument "${args[all.length]}": \`${usage.trim()}\`.`);
  const names = args.length === all.length ? all : needed;
  return Object.fromEntries(names.map(({ name }, at) => [name, args[at]]));
};

const readFields = async (
  fields: readonly Field[],
  options: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<Record<string, unknown>> => {
  const typed: Record<string, unknown> = {};
  for (const field of fields) {
    const value = options[attribute(field.flag)] as string | boolean | readonly string[] | undefined;
    if (value !== undefined) typed[field.name] = await readField(field, value, terminal.stdin);
  }
  return typed;
};

/** Replaces short names (`alice`, `ABC-12`) by ids where the interface takes only ids. */
const resolveReferences = async (
  fields: readonly Field[],
  typed: Record<string, unknown>,
  session: Session,
): Promise<Record<string, unknown>> => {
  for (const { name, kind } of fields) {
    const value = typed[name];
    if (kind.type === "reference" && typeof value === "string" && value !== "null")
      typed[name] = await session.idOf(kind.of, value);
    if (kind.type === "list" && kind.of !== null && Array.isArray(value))
      typed[name] = await Promise.all(value.map((item: string) => session.idOf(kind.of!, item)));
  }
  return typed;
};

type Input = Readonly<Record<string, unknown>>;

/** Defaults that the CLI adds to those of the interface. */
const defaults: Readonly<Record<string, (session: Session, input: Input) => Promise<Input>>> = {
  // A secret stays in its vault unless another is named (null: the deployment's default store).
  "secrets.rotate": async ({ client }, { secretId, providerConfigId }) =>
    providerConfigId === undefined
      ? { providerConfigId: (await client.secrets.get({ secretId: secretId as never })).providerConfigId }
      : {},
};

const commandDefaults = async (name: string, session: Session, input: Input): Promise<Input> =>
  (await defaults[name]?.(session, input)) ?? {};
