import { z } from "zod";
import { assistantOf, refusalOfScope } from "../../core/model/access/assistant-rights.ts";
import { mayCall } from "../api/endpoint/access.ts";
import { takesFile } from "../api/endpoint/file-endpoint.ts";
import { paramNames, pathParams } from "../api/endpoint/params.ts";
import { scopeOf } from "../api/endpoint/scope.ts";
import { endpoints, type NamedEndpoint } from "../api/index.ts";
import type { ToolText } from "./answer-text.ts";
import type { Session } from "./session.ts";
import { offset, type Tool, tool } from "./tool.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { ToolRefused } from "./tool-refused.ts";

/** Groups whose answers are credentials or links to sign in. */
const ofCredentials = new Set(["assistants", "passkeys", "session", "tokens", "users"]);

/** Its answer has a secret only for a webhook; agents need it for schedules. */
const withoutSecret = "routines.addTrigger";

/** The part of the interface that tools offer: JSON and text in, JSON and text out, and nothing that shows a credential. */
const isOffered = ({ name, group, endpoint }: NamedEndpoint): boolean =>
  (endpoint.media === "json" || endpoint.media === "page" || endpoint.media === "text") &&
  endpoint.raw === undefined &&
  !endpoint.access.link &&
  !takesFile(endpoint) &&
  !ofCredentials.has(group) &&
  (!endpoint.creates?.showsSecret || name === withoutSecret);

const operations: ReadonlyMap<string, NamedEndpoint> = new Map(
  endpoints.filter(isOffered).map((named) => [named.name, named]),
);

const isOfferedTo = (caller: ToolCaller, { endpoint }: NamedEndpoint): boolean =>
  mayCall(endpoint.access, caller) &&
  refusalOfScope(caller, scopeOf(endpoint)) === null &&
  (assistantOf(caller) === null || !endpoint.access.verified);

const offeredTo = (caller: ToolCaller): readonly NamedEndpoint[] =>
  [...operations.values()].filter((named) => isOfferedTo(caller, named));

/** The most operations that an answer describes in full. */
const mostShown = 4;

const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ""))
    .filter((word) => word !== "");

/** How well an operation matches a query: a word of its name counts most. */
const fit = ({ name, endpoint }: NamedEndpoint, asked: readonly string[]): number => {
  const named = new Set(wordsOf(name));
  const titled = new Set(wordsOf(endpoint.summary));
  const described = new Set(wordsOf(endpoint.description ?? ""));
  return asked.reduce(
    (sum, word) =>
      sum + (named.has(word) ? 4 : 0) + (titled.has(word) ? 3 : 0) + (described.has(word) ? 1 : 0),
    0,
  );
};

/** The arguments of an operation: parameters of its path, of its query, and fields of its body, as one object. */
const argumentsOf = ({ endpoint }: NamedEndpoint) => {
  const params = paramNames(endpoint.path).map((param) => [
    param,
    z.string().describe(pathParams[param].help),
  ]);
  const { $schema: _, ...schema } = z.toJSONSchema(
    z.strictObject({ ...Object.fromEntries(params), ...endpoint.query.shape, ...endpoint.body?.shape }),
    { io: "input", unrepresentable: "any" },
  );
  const { variants } = endpoint;
  if (variants === null) return schema;
  const of = Object.entries(variants.of).map(([value, shape]) => {
    const { $schema: _, ...written } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
    return [value, written];
  });
  return { ...schema, [`${variants.field} by ${variants.by}`]: Object.fromEntries(of) };
};

const described = (named: NamedEndpoint): string =>
  [
    `${named.name}: ${named.endpoint.summary}.${named.endpoint.method === "GET" ? " Reads." : ""}`,
    named.endpoint.description ?? "",
    `arguments: ${JSON.stringify(argumentsOf(named))}`,
  ]
    .filter((line) => line !== "")
    .join("\n");

const found = (caller: ToolCaller, query: string): string => {
  const offered = offeredTo(caller);
  const exact = offered.find(({ name }) => name === query.trim());
  if (exact !== undefined) return described(exact);
  const asked = [...new Set(wordsOf(query).slice(0, 20))];
  const fitting = offered
    .map((named) => ({ named, score: fit(named, asked) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ named }) => named);
  if (fitting.length === 0) return `Nothing fits. There are: ${offered.map(({ name }) => name).join(", ")}.`;
  const more = fitting.slice(mostShown, mostShown + 20).map(({ name }) => name);
  return [
    ...fitting.slice(0, mostShown).map(described),
    ...(more.length === 0 ? [] : [`Others that fit less: ${more.join(", ")}.`]),
  ].join("\n\n");
};

/** A query has text: a list is written with commas. */
const isQueryValue = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isPlain) : value === undefined || isPlain(value);

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

type Call = (input: Readonly<Record<string, unknown>>, options: Session["options"]) => Promise<unknown>;

/** Makes the call with the client, which sends the arguments as they are: the route checks them. */
const carriedOut = async (
  session: Session,
  named: NamedEndpoint,
  given: Readonly<Record<string, unknown>>,
  idempotencyKey: string | undefined,
): Promise<ToolText> => {
  const { endpoint, group, action, name } = named;
  const params = paramNames(endpoint.path);
  const { caller } = session;
  const implied: Readonly<Record<string, unknown>> =
    caller.kind === "agent" && params.includes("companyId") ? { companyId: caller.companyId } : {};
  const args: Readonly<Record<string, unknown>> = { ...implied, ...given };
  for (const param of params)
    if (typeof args[param] !== "string" || args[param] === "")
      throw new ToolRefused("validation_error", `${param}: is required, the ${pathParams[param].help}.`);
  for (const field of Object.keys(endpoint.query.shape))
    if (!isQueryValue(args[field]))
      throw new ToolRefused(
        "validation_error",
        `${field}: must be text, a number, a boolean or a list of these.`,
      );
  const call = (session.client as unknown as Record<string, Record<string, Call>>)[group]![action]!;
  const options = idempotencyKey === undefined ? session.options : { ...session.options, idempotencyKey };
  const answer = await call(args, options);
  if (name === withoutSecret) return { text: JSON.stringify({ id: (answer as { id?: unknown }).id }) };
  if (endpoint.media === "text") return { text: String(answer) };
  if (endpoint.media === "json") return { text: JSON.stringify(answer) ?? "Done." };
  const { items, next } = answer as { readonly items: readonly unknown[]; readonly next: string | null };
  return {
    text: JSON.stringify(items),
    next: next === null ? undefined : `More: the same call with "cursor": ${JSON.stringify(next)}`,
  };
};

/** The rest of the interface, behind two tools: a hundred would fill a model's context. */
export const operationTools: readonly Tool[] = [
  tool({
    name: "find_operation",
    description:
      "Find an operation for which there is no tool of its own, by words: routines, schedules, goals, projects, labels, approvals, costs, runs. Answers with names, meanings and arguments for call_operation.",
    calls: [],
    input: { query: z.string().min(1).max(500).describe("Words, or the name of an operation."), offset },
    run: async ({ caller }, { query, offset }) => ({ text: found(caller, query), offset }),
  }),
  tool({
    name: "call_operation",
    description: "Carry out an operation that find_operation has named. Answers with JSON.",
    calls: [],
    changes: true,
    called: (args) => {
      const named = operations.get(String((args as { name?: unknown } | undefined)?.name));
      return named === undefined ? [] : [named.endpoint];
    },
    input: {
      name: z.string().max(100).describe("Such as routines.list."),
      arguments: z.record(z.string(), z.unknown()).optional(),
      idempotencyKey: z
        .string()
        .optional()
        .describe("1 to 255 characters: with the same key it is carried out once."),
      offset: offset.describe(
        "Of an operation that reads: continue an answer that was cut, from that character.",
      ),
    },
    run: async (session, { name, arguments: given = {}, idempotencyKey, offset }) => {
      const named = operations.get(name);
      if (named === undefined || !mayCall(named.endpoint.access, session.caller))
        throw new ToolRefused(
          "operation_unknown",
          `You have no operation ${name}. find_operation names them.`,
        );
      if (offset !== undefined && offset > 0 && named.endpoint.method !== "GET")
        throw new ToolRefused("validation_error", "offset: only an operation that reads can be continued.");
      return { ...(await carriedOut(session, named, given, idempotencyKey)), offset };
    },
  }),
];
