import { z } from "zod";
import { bodyExamples } from "../api/body-examples.ts";
import { announcedBy } from "../api/endpoint/announced.ts";
import { type Endpoint, takesFile } from "../api/endpoint/endpoint.ts";
import { paramNames, pathParams } from "../api/endpoint/params.ts";
import { statusOf } from "../api/endpoint/statuses.ts";
import { endpoints, type NamedEndpoint } from "../api/index.ts";

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
  });
  return json;
};

/** What a schema defines beside itself, as one that holds itself does, becomes a component: references start at the top. */
const hoisted = (described: unknown, prefix: string, components: Json): unknown =>
  JSON.parse(JSON.stringify(described), (key, value) => {
    if (key === "$ref" && typeof value === "string")
      return value.replace(/^#\/\$defs\//, `#/components/schemas/${prefix}.`);
    if (typeof value !== "object" || value === null || !("$defs" in value)) return value;
    const { $defs, ...schema } = value;
    for (const [name, definition] of Object.entries($defs)) components[`${prefix}.${name}`] = definition;
    return schema;
  });

/** The API description, OpenAPI 3.1, from the same declarations that route the requests. */
export const openapi = (version: string): Json => {
  const paths: Record<string, Json> = {};
  const components: Json = {};
  for (const named of endpoints) {
    const { method, path } = named.endpoint;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = Object.fromEntries(
      Object.entries(operation(named)).map(([part, described]) => [
        part,
        hoisted(described, `${named.name}.${part}`, components),
      ]),
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Boardroom",
      version,
      description:
        "The control service for companies made of AI agents. A board and agents work through this interface; `GET /api/agent-guide` tells a model how.",
    },
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
          name: "boardroom_session_…",
          description: "The name ends with eight digits of the instance.",
        },
      },
      schemas: {
        Error: {
          type: "object",
          required: ["error", "code"],
          properties: {
            error: { type: "string", description: "A sentence safe for strangers." },
            code: { type: "string" },
            details: {},
          },
        },
        ...components,
      },
    },
    security: [{ bearer: [] }, { session: [] }],
    paths,
  };
};

const operation = ({ name, group, endpoint }: NamedEndpoint): Json => {
  const { access, body, query, media } = endpoint;
  const queryFields = Object.entries(query.shape) as [string, z.ZodType][];
  return {
    operationId: name,
    tags: [group],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
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
      ...queryFields.map(([field, schema]) => ({
        name: field,
        in: "query",
        required: !schema.safeParse(undefined).success,
        ...(schema.description === undefined ? {} : { description: schema.description }),
        schema: schemaOf(schema, "input"),
      })),
      ...(endpoint.creates === null
        ? []
        : [
            {
              name: "Idempotency-Key",
              in: "header",
              required: false,
              description: "The same key with the same request is carried out once within 24 hours.",
              schema: { type: "string", maxLength: 255 },
            },
          ]),
      ...Object.entries(endpoint.raw ?? {}).map(([name, description]) => ({
        name,
        in: "header",
        required: false,
        description,
        schema: { type: "string" },
      })),
      ...(access.agent && endpoint.raw === undefined && endpoint.method !== "GET"
        ? [
            {
              name: "X-Service-Run-Id",
              in: "header",
              required: false,
              description: "The live run an agent acts in; implied by a run's token.",
              schema: { type: "string", format: "uuid" },
            },
          ]
        : []),
    ],
    ...(endpoint.raw === undefined
      ? {}
      : {
          requestBody: {
            required: false,
            description: "Any bytes, up to 1 MiB.",
            content: { "*/*": { schema: { type: "string", format: "binary" } } },
          },
        }),
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: !body.safeParse({}).success,
            content: {
              [takesFile(endpoint) ? "multipart/form-data" : "application/json"]: {
                schema: schemaOf(body, "input"),
                ...(name in bodyExamples ? { example: bodyExamples[name] } : {}),
              },
            },
          },
        }),
    responses: {
      ...(endpoint.makesWhen === null ? {} : { 201: success(endpoint, media) }),
      [endpoint.status]: success(endpoint, media),
      ...refusals(endpoint),
    },
  };
};

const success = (endpoint: NamedEndpoint["endpoint"], media: NamedEndpoint["endpoint"]["media"]): Json => {
  if (endpoint.status === 204) return { description: "Done." };
  if (media === "text")
    return { description: "OK", content: { "text/plain": { schema: { type: "string" } } } };
  if (media === "file")
    return {
      description: "OK; 206 for a range, 304 for what the caller has, 416 for a range outside.",
      content: { "*/*": { schema: schemaOf(endpoint.returns, "output") } },
    };
  if (media === "events")
    return {
      description: "Server-sent events; the shape is that of an event's data.",
      content: { "text/event-stream": { schema: schemaOf(endpoint.returns, "output") } },
    };
  return {
    description: "OK",
    ...(media === "page"
      ? {
          headers: {
            "X-Next-Cursor": {
              description: "Cursor of the next page; absent on the last.",
              schema: { type: "string" },
            },
          },
        }
      : {}),
    content: { "application/json": { schema: schemaOf(endpoint.returns, "output") } },
  };
};

const refusals = (endpoint: Endpoint): Json => {
  const byStatus = new Map<number, string[]>();
  for (const { code, kind } of announcedBy(endpoint)) {
    const status = statusOf[kind];
    const codes = byStatus.get(status) ?? [];
    if (!codes.includes(code)) byStatus.set(status, [...codes, code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.join(", "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
};
