import { type Command, Option } from "commander";
import { isUuid } from "../../../core/shared/ids.ts";
import type { DownloadedFile } from "../../api/endpoint/files.ts";
import { paramNames, pathParams } from "../../api/endpoint/params.ts";
import { endpoints, type NamedEndpoint } from "../../api/index.ts";
import type { PageOf } from "../../library/client.ts";
import { type CommonOptions, openSession, type Session } from "../connection/session.ts";
import { UsageError } from "../failure.ts";
import { kebab } from "../kebab.ts";
import { idsToName } from "../print/ids-to-name.ts";
import { print } from "../print/print.ts";
import { harmless, type Terminal } from "../terminal.ts";
import { commandDefaults } from "./command-defaults.ts";
import { examplesOf } from "./examples.ts";
import { type Field, fieldsOf, readField, termOf } from "./flags.ts";
import { progress, watched } from "./progress.ts";
import { save } from "./save.ts";
import { timerNote } from "./timer-note.ts";

interface GroupWords {
  readonly heading: string;
  readonly summary: string;
}

const groupWords: Readonly<Record<string, GroupWords>> = {
  inbox: { heading: "Work:", summary: "What waits for you, over all companies" },
  companies: { heading: "Work:", summary: "Found, change, pause and archive companies" },
  agents: { heading: "Work:", summary: "Hire, configure, wake, pause and terminate agents" },
  issues: { heading: "Work:", summary: "Create, assign, check out, discuss and finish issues" },
  interactions: { heading: "Work:", summary: "Cards in an issue's thread: confirm, answer, choose tasks" },
  documents: { heading: "Work:", summary: "Plans and other texts of an issue, with their history" },
  attachments: { heading: "Work:", summary: "Files of an issue" },
  labels: { heading: "Work:", summary: "Words that issues are found by" },
  assets: { heading: "Work:", summary: "A company's logo" },
  runs: { heading: "Work:", summary: "See what agents did and why; follow and cancel runs" },
  routines: { heading: "Work:", summary: "Recurring work: schedules, webhooks, their runs and revisions" },
  projects: { heading: "Work:", summary: "Projects that issues belong to" },
  goals: { heading: "Work:", summary: "Goals that issues serve" },
  approvals: { heading: "Work:", summary: "Hires, strategy and ownership: ask, decide, see who may" },
  grants: { heading: "Work:", summary: "What agents are let decide" },
  costs: { heading: "Work:", summary: "What is spent, by whom and on what" },
  adapters: { heading: "Work:", summary: "What runs agents' programs: install, test, make your own" },
  activity: { heading: "Work:", summary: "What has happened" },
  secrets: { heading: "Work:", summary: "Keep, rotate, link and import what agents must not show" },
  vaults: { heading: "Work:", summary: "Where secrets are kept" },
  members: { heading: "People and access:", summary: "Who of the board may do what in a company" },
  users: { heading: "People and access:", summary: "Board users" },
  tokens: { heading: "People and access:", summary: "Board tokens" },
  session: { heading: "People and access:", summary: "Who you are; web sessions" },
  system: { heading: "The service:", summary: "Health, events, metrics and the interface's description" },
};

/** What a group does where no command of it is named: `boardroom inbox`. */
const defaultActions: Readonly<Record<string, string>> = { inbox: "list" };

/** Shorter names of groups and commands. */
const aliases: Readonly<Record<string, string>> = {
  companies: "company",
  agents: "agent",
  issues: "issue",
  runs: "run",
  projects: "project",
  routines: "routine",
  goals: "goal",
  get: "show",
};

/** One command for each endpoint: `boardroom issues checkout <issueId> --agent-id …`. */
export const addEndpointCommands = (program: Command, terminal: Terminal): void => {
  const groups = new Map<string, Command>();
  for (const named of endpoints) {
    // A webhook is called by other programs, which sign its raw body.
    if (named.endpoint.raw !== undefined) continue;
    let group = groups.get(named.group);
    if (group === undefined) {
      const { heading, summary } = groupWords[named.group] ?? { heading: "Work:", summary: "" };
      group = program.command(kebab(named.group)).description(summary).helpGroup(heading);
      if (aliases[named.group]) group.alias(aliases[named.group]!);
      groups.set(named.group, group);
    }
    addCommand(group, named, terminal);
  }
};

const addCommand = (group: Command, named: NamedEndpoint, terminal: Terminal): void => {
  const { action, endpoint, name } = named;
  const params = paramNames(endpoint.path);
  const fields = fieldsOf(endpoint);
  const command = group
    .command(kebab(action), { isDefault: defaultActions[named.group] === action })
    .summary(endpoint.summary)
    .description(
      `${endpoint.summary}.${endpoint.description === undefined ? "" : `\n${endpoint.description}`}`,
    )
    // Counted below: a companyId in front may be left out, which commander cannot express.
    .allowExcessArguments(true)
    .usage(
      [...params.map((param) => (param === "companyId" ? "[companyId]" : `<${param}>`)), "[options]"].join(
        " ",
      ),
    );
  const alias = aliases[action];
  // `routines runs` lists them, and `routines run` is another command.
  if (
    alias !== undefined &&
    !endpoints.some((other) => other.group === named.group && other.action === alias)
  )
    command.alias(alias);
  for (const param of params)
    command.argument(`[${param}]`, `${pathParams[param].help}${param === "companyId" ? "; or -C" : ""}`);
  for (const field of fields) for (const option of optionsFor(field)) command.addOption(option);
  if (endpoint.media === "file")
    command.option("-o, --output <path>", "where to save it; - is standard output");
  if (endpoint.media === "page") command.option("--all", "every page, one after the other");
  if (endpoint.creates !== null)
    command.option(
      "--idempotency-key <key>",
      "the same key and request are carried out once within 24 hours",
    );
  const shown = examplesOf(name, params);
  command.addHelpText(
    "after",
    `\nExample${shown.length === 1 ? "" : "s"}:\n${shown.map((line) => wrappedLine(`boardroom ${kebab(named.group)} ${kebab(action)} ${line}`.trimEnd(), terminal.width ?? 80)).join("\n")}`,
  );
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & Record<string, unknown>>();
    await run(named, command.args, fields, options, terminal);
  });
};

/** A command line that a shell takes as it stands, over as many lines as it needs. */
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
  // Repeated flags add up; what takes one value takes the last.
  return [option.argParser((value: string, before: readonly string[] = []) => [...before, value])];
};

/** How commander names the value of a flag. */
const attribute = (flag: string): string =>
  flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const run = async (
  named: NamedEndpoint,
  args: readonly string[],
  fields: readonly Field[],
  options: CommonOptions & Record<string, unknown>,
  terminal: Terminal,
): Promise<void> => {
  const { endpoint } = named;
  const params = readParams(named, args);
  const missing = fields.filter(({ required, flag }) => required && options[attribute(flag)] === undefined);
  if (missing.length > 0)
    throw new UsageError(
      `Give ${missing.map((field) => termOf(field)).join(" and ")}. Add --help to see what it takes.`,
    );
  const typed = await readFields(fields, options, terminal);
  const session = await openSession({ ...options, company: params.companyId ?? options.company }, terminal);
  const input: Record<string, unknown> = { ...params, ...(await resolveReferences(fields, typed, session)) };
  if (endpoint.path.includes("{companyId}"))
    input.companyId =
      params.companyId === undefined && params.issueId !== undefined
        ? await session.companyOfIssue(params.issueId)
        : await session.company();
  // An agent's urlKey is one of a company; an id needs none, and an agent means its own.
  const needsCompany = "companyId" in endpoint.query.shape && !isUuid(params.agentId ?? "");
  if (needsCompany && input.agentId !== undefined) input.companyId = await session.company();
  Object.assign(input, await commandDefaults(named.name, session, input));
  const note = options.json || options.quiet ? null : await timerNote(named.name, session, input);
  if (note !== null) terminal.err(`${note}\n`);
  const callOptions = {
    ...session.callOptions,
    idempotencyKey: options.idempotencyKey as string | undefined,
  };
  await answer(named, session, input, callOptions, options, terminal);
};

const readParams = (named: NamedEndpoint, args: readonly string[]): Partial<Record<string, string>> => {
  const all = paramNames(named.endpoint.path);
  const needed = all.filter((param) => param !== "companyId");
  const usage = `boardroom ${kebab(named.group)} ${kebab(named.action)} ${needed.map((param) => `<${param}>`).join(" ")}`;
  if (args.length < needed.length) {
    const lacking = needed[args.length]!;
    throw new UsageError(`Give the ${pathParams[lacking].help.replace(/^id\b/, "id")}: \`${usage}\`.`);
  }
  if (args.length > all.length)
    throw new UsageError(`"${args[all.length]}" is too much: \`${usage.trim()}\` takes no more.`);
  const names = args.length === all.length ? all : needed;
  return Object.fromEntries(names.map((param, at) => [param, args[at]]));
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

/** People say `alice` and `ABC-12` where the interface takes ids alone. */
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

type AnyCall = (input: unknown, options: unknown) => unknown;

const answer = async (
  named: NamedEndpoint,
  session: Session,
  input: Record<string, unknown>,
  callOptions: object,
  options: CommonOptions & Record<string, unknown>,
  terminal: Terminal,
): Promise<void> => {
  const { endpoint } = named;
  const json = options.json === true;
  const group = session.client[named.group as keyof Session["client"]] as unknown as Record<string, AnyCall>;
  const call = group[named.action]!;
  switch (endpoint.media) {
    case "text":
      terminal.out(ended(String(await call(input, callOptions))));
      return;
    case "events":
      for await (const event of call(input, { ...callOptions, reconnect: true }) as AsyncIterable<unknown>)
        terminal.out(json ? `${JSON.stringify(event)}\n` : eventLine(event as StreamedEvent, terminal));
      return;
    case "page": {
      const { items, next } = await onePageOrAll(call, input, callOptions, options.all === true);
      await show(named, items, session, options, terminal);
      if (next !== null) terminal.err(terminal.colors.dim(`There are more: --all, or --cursor ${next}\n`));
      return;
    }
    case "file":
      await save(
        (await call(input, callOptions)) as DownloadedFile,
        options.output as string | undefined,
        json || options.quiet ? { ...terminal, repaints: false } : terminal,
      );
      return;
    case "json": {
      const answer = await sent(call, input, callOptions, options, terminal);
      await show(named, answer, session, options, terminal);
      const once = shownOnce(answer);
      if (once !== undefined && !json)
        terminal.err(terminal.colors.yellow(`Keep the ${once} now: it is not shown again.\n`));
    }
  }
};

/** The field of an answer that no other answer shows, where it has one: not every trigger has a secret. */
const shownOnce = (answer: unknown): string | undefined =>
  ["token", "secret"].find((name) => typeof (answer as Record<string, unknown> | null)?.[name] === "string");

/** The answer of a call. Where it sends a file, a person who waits for it sees how far it has come. */
const sent = async (
  call: AnyCall,
  input: Record<string, unknown>,
  callOptions: object,
  { json, quiet }: CommonOptions,
  terminal: Terminal,
): Promise<unknown> => {
  const { file } = input;
  if (!(file instanceof File) || json || quiet) return call(input, callOptions);
  const shown = progress(file.size, terminal);
  try {
    return await call({ ...input, file: watched(file, shown) }, callOptions);
  } finally {
    shown.end();
  }
};

const onePageOrAll = async (
  call: AnyCall,
  input: unknown,
  options: object,
  all: boolean,
): Promise<PageOf<unknown>> => {
  if (!all) return (await call(input, options)) as PageOf<unknown>;
  const items: unknown[] = [];
  const { all: every } = call as unknown as {
    all: (input: unknown, options: object) => AsyncIterable<unknown>;
  };
  for await (const item of every(input, options)) items.push(item);
  return { items, next: null };
};

const show = async (
  { endpoint }: NamedEndpoint,
  value: unknown,
  session: Session,
  { json, quiet }: CommonOptions,
  terminal: Terminal,
): Promise<void> => {
  if (json) {
    terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    return;
  }
  if (quiet) {
    for (const record of Array.isArray(value) ? value : [value]) terminal.out(`${essence(record)}\n`);
    return;
  }
  const { companyId, wanted } = idsToName(value);
  const names = wanted ? await session.names(companyId) : new Map<string, string>();
  const text = print(endpoint, value, { ...terminal, names });
  if (text === "") terminal.err(terminal.colors.dim("There are none.\n"));
  terminal.out(text);
};

/** What a script wants of a record: the credential it shows this once, else its id. */
const essence = (record: Readonly<Record<string, unknown>> | null): string =>
  String(record?.token ?? record?.id ?? record?.userId ?? record?.runId ?? record?.model ?? "");

interface StreamedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One line of what happens in a company. */
const eventLine = ({ event, data }: StreamedEvent, { colors }: Terminal): string => {
  const at = String(data.createdAt ?? data.at ?? "").slice(11, 19);
  const what =
    event === "activity.logged"
      ? `${String(data.action)}  ${JSON.stringify(data.details ?? {})}`
      : event === "heartbeat.run.event"
        ? `run ${String(data.runId).slice(-8)}  ${String(data.message ?? data.type)}`
        : `run ${String(data.runId).slice(-8)}  ${String(data.bytes ?? 0)} bytes of log`;
  return `${colors.dim(at.padEnd(8))}  ${harmless(what).replaceAll("\n", " ")}\n`;
};

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
