import type { z } from "zod";
import { bodyExamples } from "../api/body-examples.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import { takesFile } from "../api/endpoint/file-endpoint.ts";
import { paramNames, pathParams } from "../api/endpoint/params.ts";
import { statusOf } from "../api/endpoint/statuses.ts";
import { type Api, endpoints, type NamedEndpoint } from "../api/index.ts";
import { type Json, ref, Schemas } from "./openapi-schemas.ts";
import { refusalsOf } from "./refusals.ts";

/** The description of each group of operations. */
const groups: Readonly<Record<keyof Api, string>> = {
  companies: "Companies, their budgets and their state.",
  agents: "Agents, their configuration, keys and skills.",
  adapters: "Adapters: the programs that run agents.",
  issues: "Issues, their claims and their comments.",
  interactions: "Interactions: questions of agents to the board on an issue.",
  watchers: "The people who watch issues.",
  documents: "Documents of issues and their revisions.",
  attachments: "Files of issues.",
  labels: "Labels of issues.",
  assets: "Files of companies.",
  runs: "Runs of agents, their events, logs and transcripts.",
  runners: "Places where agents' programs run.",
  volumes: "The hosts of agents, and where their workspaces are.",
  routines: "Routines and their triggers.",
  projects: "Projects.",
  mcpServers: "MCP servers whose tools agents get.",
  eventSubscriptions: "Where the events of a company are sent, and the answers.",
  repositories: "Git repositories of projects.",
  workspaces: "Workspaces of issues, and what their runs left.",
  goals: "Goals.",
  secrets: "Secrets; no answer holds a value.",
  vaults: "Vaults: where the values of secrets are stored.",
  approvals: "Requests for decisions of the board.",
  grants: "Permissions of agents to decide approvals.",
  costs: "Costs of agents, and budgets.",
  activity: "The activity log of a company.",
  inbox: "Entries that need an action of the caller.",
  members: "Board users of a company.",
  savedViews: "Lists of issues that a person has given a name.",
  users: "Board users of the instance.",
  tokens: "Tokens of board users.",
  session: "Web sessions.",
  assistants: "Programs that act for the person who is signed in, connected by OAuth.",
  pushSubscriptions: "Browsers that show notices to the person who is signed in.",
  passkeys: "Passkeys of the person who is signed in.",
  system: "The service itself.",
};

/** `issues.create` as the name of a type. */
const typeName = (name: string): string =>
  name.replace(/(^|\.)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** Makes the API description, OpenAPI 3.1, from the declarations that route the requests. */
export const openapi = (version: string, address: string): Json => {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const named of endpoints) {
    const { method, path } = named.endpoint;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = operation(named, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Boardroom",
      version,
      description:
        "The control service for companies made of AI agents. A board and agents work through this interface; `GET /api/agent-guide` tells a model how.",
      contact: { name: "The operator of this service" },
      license: { name: "Unlicensed", identifier: "LicenseRef-Unlicensed" },
    },
    servers: [{ url: address === "" ? "/" : address }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A board token, an agent's key, or the token of a run.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          // ASCII: clients test whether their headers have that name.
          name: "boardroom_session",
          description: "The real name continues with an underscore and eight digits of the instance.",
        },
      },
      schemas: {
        Error: {
          type: "object",
          required: ["error", "code"],
          properties: {
            error: { type: "string", description: "A sentence that is safe to show to every user." },
            code: { type: "string", description: "Stable, in snake_case." },
            details: { description: "Details of the code: fields, ids, allowed values." },
          },
        },
        ...schemas.components,
      },
    },
    security: [{ bearer: [] }, { session: [] }],
    paths,
  };
};

const operation = ({ name, group, endpoint }: NamedEndpoint, schemas: Schemas): Json => {
  const { access, description, summary } = endpoint;
  const requestBody = bodyOf(name, endpoint, schemas);
  return {
    operationId: name,
    tags: [group],
    summary,
    description: description ?? `${summary}.`,
    ...(access.anyone ? { security: [] } : {}),
    "x-access": { board: access.board, agent: access.agent },
    parameters: [
      ...paramNames(endpoint.path).map((param) => ({
        name: param,
        in: "path",
        required: true,
        description: pathParams[param].help,
        schema: { type: "string" },
      })),
      ...Object.entries(endpoint.query.shape).map(([field, schema]) =>
        queryParameter(field, schema as z.ZodType, schemas),
      ),
      ...headersOf(endpoint).map(([header, help, schema]) => ({
        name: header,
        in: "header",
        required: false,
        description: help,
        schema,
      })),
    ],
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      ...(endpoint.makesWhen === null ? {} : { 201: success(name, endpoint, schemas) }),
      [endpoint.status]: success(name, endpoint, schemas),
      ...refusals(endpoint),
    },
  };
};

const queryParameter = (name: string, schema: z.ZodType, schemas: Schemas): Json => {
  const { items, description, ...written } = schemas.of(schema, "input", name);
  return {
    name,
    in: "query",
    required: !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    // A list is one string with commas.
    ...(items === undefined
      ? { schema: written }
      : { style: "form", explode: false, schema: { type: "array", items } }),
  };
};

type Header = readonly [name: string, description: string, schema: Json];

const headersOf = ({ access, creates, media, method, raw }: Endpoint): readonly Header[] => {
  if (raw !== undefined)
    return Object.entries(raw).map(([name, help]) => [name, help, { type: "string" }] as const);
  const changes = method !== "GET";
  const headers: (Header | false)[] = [
    creates !== null && [
      "Idempotency-Key",
      "The same key with the same request is carried out once within 24 hours.",
      { type: "string", minLength: 1, maxLength: 255 },
    ],
    access.agent && [
      "X-Service-Run-Id",
      "The live run an agent acts in; implied by a run's token.",
      { type: "string", format: "uuid" },
    ],
    changes && [
      "X-Service-Request-Id",
      "An id of yours for the request: events of what it does have it as requestId.",
      { type: "string", pattern: "^[\\w.-]{1,64}$" },
    ],
    changes &&
      access.board !== null && [
        "X-CSRF-Token",
        "The session's csrfToken, for calls by session cookie.",
        { type: "string" },
      ],
    media === "events" && [
      "Last-Event-ID",
      "Continues after this event instead of starting now.",
      { type: "string" },
    ],
  ];
  return headers.filter((header) => header !== false);
};

const bodyOf = (name: string, endpoint: Endpoint, schemas: Schemas): Json | null => {
  const { body, raw, variants } = endpoint;
  if (raw !== undefined)
    return {
      required: false,
      description: "Any bytes, up to 1 MiB.",
      content: { "*/*": { schema: { type: "string", format: "binary" } } },
    };
  if (body === null) return null;
  const type = `${typeName(name)}Request`;
  const schema =
    variants === null ? schemas.named(body, "input", type) : oneOfVariants(type, body, variants, schemas);
  return {
    required: !body.safeParse({}).success,
    content: {
      [takesFile(endpoint) ? "multipart/form-data" : "application/json"]: {
        schema,
        ...(name in bodyExamples ? { example: bodyExamples[name] } : {}),
      },
    },
  };
};

/** Makes one schema for each value of the discriminating field. */
const oneOfVariants = (
  type: string,
  body: z.ZodObject,
  { by, field, of }: NonNullable<Endpoint["variants"]>,
  schemas: Schemas,
): Json => {
  const whole = schemas.of(body, "input", type) as { properties: Json };
  const mapping: Record<string, string> = {};
  const oneOf = Object.entries(of).map(([value, payload]) => {
    const name = `${type}${typeName(value.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))}`;
    schemas.components[name] = {
      ...whole,
      properties: {
        ...whole.properties,
        [by]: { type: "string", const: value },
        [field]: schemas.named(payload, "input", `${name}${typeName(field)}`),
      },
    };
    mapping[value] = `#/components/schemas/${name}`;
    return ref(name);
  });
  return { oneOf, discriminator: { propertyName: by, mapping } };
};

const success = (name: string, endpoint: Endpoint, schemas: Schemas): Json => {
  const { media, returns, setsSession, status } = endpoint;
  if (status === 204) return { description: "Done." };
  const header = (description: string): Json => ({ description, schema: { type: "string" } });
  const headers = {
    ...(media === "page" ? { "X-Next-Cursor": header("Cursor of the next page; absent on the last.") } : {}),
    ...(setsSession ? { "Set-Cookie": header("The session, or its end.") } : {}),
  };
  const answer = (description: string, type: string, schema: Json): Json => ({
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { [type]: { schema } },
  });
  const schema = schemas.named(returns, "output", `${typeName(name)}Result`);
  switch (media) {
    case "text":
      return answer("OK", "text/plain", { type: "string" });
    case "file":
      return answer("OK; 206 for a range, 304 if unchanged, 416 for an unsatisfiable range.", "*/*", schema);
    case "events":
      return answer("Server-sent events; the shape is that of an event's data.", "text/event-stream", schema);
    default:
      return answer("OK", "application/json", schema);
  }
};

const refusals = (endpoint: Endpoint): Json => {
  const byStatus = new Map<number, Set<string>>([[500, new Set(["internal_error"])]]);
  for (const { code, kind } of refusalsOf(endpoint)) {
    const status = statusOf[kind];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: [...codes].join(", "), content: { "application/json": { schema: ref("Error") } } },
    ]),
  );
};
