import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { UploadedFile } from "../../hosts/api/endpoint/file-endpoint.ts";
import { type PathParam, paramNames, pathParams } from "../../hosts/api/endpoint/params.ts";
import { endpoints, type NamedEndpoint } from "../../hosts/api/index.ts";
import { payloads } from "../../hosts/api/issues/interaction-shapes.ts";
import { laterIssues, specified } from "./spec-endpoints.ts";

/** POSTs that create something without an Idempotency-Key, with reasons. */
const notRepeated: Readonly<Record<string, string>> = {
  "approvals.link": "linking twice is the same as once",
  "routines.fire":
    "an anonymous caller has no identity to scope a key to: the trigger's runs know their own keys",
  "session.createByCode": "its code works once",
  "session.createByProvider": "the provider's code works once",
  "session.createByPasskey": "a challenge works once",
  "assistants.allow": "each answer has a code of its own, which is valid for a minute",
  "session.createLink": "a link that nobody opens ends by itself",
  "users.invite": "a second invitation ends the first",
  "session.create": "a login makes nothing but a credential, and a second one is harmless",
};

/** Unpaged lists, with the reasons why they stay short. */
const wholeLists: Readonly<Record<string, string>> = {
  "companies.templates": "the templates of the package",
  "secrets.list": "the specification shows it whole, and people make secrets by hand",
  "vaults.list": "the specification shows it whole, and a company has a handful",
  "inbox.counts": "one row a company",
  "companies.list": "companies are founded by people, by hand",
  "agents.list": "the specification allows no query parameter; agents are hired one by one",
  "volumes.list": "one row a host, and those that are gone are forgotten",
  "runners.list": "the operator writes a template for each, by hand",
  "adapters.list": "adapters are installed by people, by hand",
  "adapters.models": "what one provider offers",
  "agents.org": "the same agents, as a tree",
  "members.people": "board users are made by people, by hand",
  "watchers.list": "at most the board users of a company",
  "agents.keys": "keys are made by people, by hand",
  "mcpServers.list": "a company has at most 50",
  "agents.mcpServers": "a company has at most 50",
  "eventSubscriptions.list": "a company has at most 50",
  "repositories.list": "a project has at most 20",
  "projects.gates": "a project has at most 20",
  "projects.setGates": "a project has at most 20",
  "issues.pullRequests": "opened one after the other: an issue has one open in each repository",
  "runs.changes": "one row a repository of its project, of which there are at most 20",
  "issues.changes": "one row a repository of its project, of which there are at most 20",
  "approvals.issues": "an approval is linked to at most 100",
  "grants.list": "grants are made by owners, by hand",
  "issues.progress": "one row a project or goal, of at most 1,000",
  "labels.list": "a company has at most 1,000",
  "costs.byAgent": "one row per agent",
  "costs.byProject": "one row per project",
  "costs.usageWindows": "a few windows of each account",
  "costs.byProvider": "one row per provider and model",
  "costs.byDay": "at most 366 days",
  "costs.byAgentAndDay": "one row per agent and day, of at most 366 days",
  "costs.byIssue": "as many as are asked for, the dearest first",
  "issues.updateMany": "what came of each issue that was named, at most 100",
  "routines.list": "the specification gives all routines of a company; an agent creates at most 200",
  "routines.nextFires": "as many as are asked for, worked out from the schedules",
  "routines.companyNextFires": "as many as are asked for, worked out from the schedules",
  "routines.previewFires": "as many as are asked for, worked out from the schedule",
  "members.list": "the board users of one company",
  "users.list": "the board users of the instance",
  "tokens.list": "the tokens of one board user",
  "session.list": "the browsers of one board user",
  "session.signIns": "the last 50",
  "assistants.list": "a person has at most 50",
  "passkeys.list": "a person has at most 20",
  "pushSubscriptions.list": "a person has at most 20",
  "savedViews.list": "a person saves at most 50 in a company",
};

const named = (check: (each: NamedEndpoint) => boolean) => endpoints.filter(check).map(({ name }) => name);

const fieldsOf = (schema: z.ZodObject | null): readonly string[] =>
  schema === null ? [] : Object.keys(schema.shape);

const isStrict = (schema: z.ZodObject): boolean => schema.def.catchall instanceof z.ZodNever;

/** Lists every field of a body and a query with its nested fields, by path. */
const everyField = (schema: z.ZodType | null, path: string): readonly (readonly [string, z.ZodType])[] => {
  if (schema === null) return [];
  if (schema instanceof z.ZodObject && isStrict(schema))
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => [
      [`${path} ${name}`, field] as const,
      ...everyField(field, `${path} ${name}`),
    ]);
  if (schema instanceof z.ZodArray) return everyField(schema.element as z.ZodType, path);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => everyField(option as z.ZodType, path));
  if (schema instanceof z.ZodPipe) return everyField(schema.in as z.ZodType, path);
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType === undefined ? [] : everyField(innerType, path);
};

/** Fields that the core validates: a vault's configuration, and a cursor. */
const judgedLater = /^vaults\.\w+ config$| cursor$/;

const fieldsOfAll = endpoints
  .flatMap(({ name, endpoint: { query, body } }) => [
    ...everyField(query, name),
    ...everyField(body, name),
    ...(name === "interactions.create"
      ? Object.entries(payloads).flatMap(([kind, payload]) => everyField(payload, `${name} ${kind}`))
      : []),
  ])
  .filter(([path, field]) => field !== UploadedFile && !judgedLater.test(path));

const isList = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodReadonly ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;

/** Gives method and path without the names of parameters, which identify an endpoint. */
const routeOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method} ${path.replace(/\{\w+\}/g, "{}")}`;

describe("The declared endpoints", () => {
  test("differ in method and path", () => {
    const routes = endpoints.map(({ endpoint }) => routeOf(endpoint));
    expect(routes.filter((route, at) => routes.indexOf(route) !== at)).toEqual([]);
  });

  test("have names that suit commands and methods", () => {
    expect(named(({ name }) => !/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/.test(name))).toEqual([]);
  });

  test("have paths of lower-case words and parameters", () => {
    expect(
      named(({ endpoint }) => !/^\/(api|metrics|unsubscribe)(\/([a-z0-9.-]+|\{\w+\}))*$/.test(endpoint.path)),
    ).toEqual([]);
  });

  test("have only known parameters in their paths, each once", () => {
    const complaints = endpoints.flatMap(({ name, endpoint }) => {
      const params = paramNames(endpoint.path);
      const unknown = params.filter((param) => !Object.hasOwn(pathParams, param));
      const twice = params.filter((param, at) => params.indexOf(param) !== at);
      return [...unknown, ...twice].map((param) => `${name}: ${param}`);
    });
    expect(complaints).toEqual([]);
  });

  test("use every declared parameter of paths", () => {
    const used = new Set(endpoints.flatMap(({ endpoint }) => paramNames(endpoint.path)));
    expect((Object.keys(pathParams) as PathParam[]).filter((param) => !used.has(param))).toEqual([]);
  });

  test("have no field in two of path, query and body, because a call has one input", () => {
    const complaints = endpoints.flatMap(({ name, endpoint }) => {
      const fields = [...paramNames(endpoint.path), ...fieldsOf(endpoint.query), ...fieldsOf(endpoint.body)];
      return fields.filter((field, at) => fields.indexOf(field) !== at).map((field) => `${name}: ${field}`);
    });
    expect(complaints).toEqual([]);
  });

  test("refuse by name every unknown field of query and body", () => {
    expect(named(({ endpoint }) => !isStrict(endpoint.query))).toEqual([]);
    expect(named(({ endpoint }) => endpoint.body !== null && !isStrict(endpoint.body))).toEqual([]);
  });

  test.each([
    ["NUL", "a\u0000b"],
    ["half a surrogate pair", "a\ud800b"],
  ])("accept no text with %s", (_, text) => {
    const takes = (field: z.ZodType) =>
      [text, [text], { a: text }].filter((each) => field.safeParse(each).success);
    expect(fieldsOfAll.filter(([, field]) => takes(field).length > 0).map(([path]) => path)).toEqual([]);
  });

  test("accept an id in any case, and normalise it to lower case", () => {
    const lower = randomUUID();
    const complaints = fieldsOfAll.filter(([, field]) => {
      const [asIs, shouted] = [lower, lower.toUpperCase()].map((id) => field.safeParse(id));
      const isId = asIs!.success && !field.safeParse("word").success && asIs!.data === lower;
      return isId && shouted!.data !== lower;
    });
    expect(complaints.map(([path]) => path)).toEqual([]);
    for (const { schema } of Object.values(pathParams).filter(
      (each) => each.schema.meta()?.format === "uuid",
    ))
      expect(schema.parse(lower.toUpperCase())).toBe(lower);
  });

  test("accept a body only if they change something, and none on GET and DELETE", () => {
    expect(named(({ endpoint }) => endpoint.body !== null && /GET|DELETE/.test(endpoint.method))).toEqual([]);
  });

  test("accept an Idempotency-Key for every POST that creates something, or state a reason", () => {
    const making = named(
      ({ endpoint }) => endpoint.method === "POST" && (endpoint.status === 201 || endpoint.status === 202),
    );
    const keyed = new Set(named(({ endpoint }) => endpoint.creates !== null));
    expect(making.filter((name) => !keyed.has(name) && notRepeated[name] === undefined)).toEqual([]);
    expect(Object.keys(notRepeated).filter((name) => !making.includes(name) || keyed.has(name))).toEqual([]);
    // Actions that must happen once: a repetition would make another version, secret, revision or comment.
    expect([...keyed].filter((name) => !making.includes(name)).sort()).toEqual([
      "agents.rollback",
      "companies.importTemplate",
      "documents.restore",
      "eventSubscriptions.rotateSecret",
      "issues.review",
      "routines.restore",
      "routines.rotateSecret",
      "secrets.import",
      "secrets.rotate",
      "secrets.rotateMasterKey",
    ]);
  });

  test("that show a secret show it once: their answer is not repeated", () => {
    const secret = /token|secret|session|password/i;
    const showing = endpoints.filter(({ endpoint: { returns, creates } }) => {
      const fields = returns instanceof z.ZodObject ? Object.keys(returns.shape) : [];
      return (
        creates !== null && fields.some((field) => secret.test(field) && !/tokens$|SecretId$/i.test(field))
      );
    });
    const repeating = showing.filter(({ endpoint }) => !endpoint.creates?.showsSecret);
    expect(repeating.map(({ name }) => name)).toEqual(["routines.restore"]);
    const [{ endpoint: restore } = {}] = repeating;
    expect(restore?.creates?.keeps?.({ secretMaterials: [{ secret: "whsec" }] })).toBe(false);
    expect(restore?.creates?.keeps?.({ secretMaterials: [] })).toBe(true);
  });

  test("list by pages, or state why the list stays short", () => {
    const whole = named(({ endpoint }) => endpoint.media === "json" && isList(endpoint.returns));
    expect(whole.filter((name) => wholeLists[name] === undefined)).toEqual([]);
    expect(Object.keys(wholeLists).filter((name) => !whole.includes(name))).toEqual([]);
  });

  test.each([
    ["issues.list", 500, 1000],
    ["issues.comments", 100, 500],
    ["runs.list", 100, 500],
    ["activity.list", 100, 500],
    ["projects.list", 500, 1000],
    ["goals.list", 500, 1000],
    ["documents.list", 500, 1000],
    ["routines.runs", 50, 200],
  ])("page as ruled: %s by %i, at most %i", (name, usual, max) => {
    const { query } = endpoints.find((each) => each.name === name)!.endpoint;
    expect(query.parse({})).toMatchObject({ limit: usual });
    expect(query.parse({ limit: String(max) })).toMatchObject({ limit: max });
    for (const limit of [String(max + 1), "0", "-1", "1.5", "x"])
      expect(query.safeParse({ limit }).success).toBe(false);
  });

  test("have a summary in the imperative, on one line", () => {
    // The summary begins with the imperative "List …", not "Lists …", "Listing …", "Listed …" or "The list …".
    const isImperative = (summary: string) =>
      /^[A-Z][a-z]+\b/.test(summary) && !/^(The|An?|\w+[^s\W]s|\w{3,}ing|\w+[^e\W]ed)\b/.test(summary);
    const summaries = endpoints.map(({ endpoint }) => endpoint.summary);
    expect(summaries.filter((summary) => !isImperative(summary))).toEqual([]);
    expect(summaries.filter((summary) => summary.length > 72 || /\n|\.$/.test(summary))).toEqual([]);
  });

  test("have descriptions in sentences", () => {
    const descriptions = endpoints.flatMap(({ endpoint }) => endpoint.description ?? []);
    expect(descriptions.filter((text) => !text.endsWith(".") || text !== text.trim())).toEqual([]);
  });

  test("list each refusal once, with a code of its own", () => {
    const complaints = endpoints.flatMap(({ name, endpoint }) => {
      const codes = endpoint.failures.map(({ code }) => code);
      return codes.filter((code, at) => codes.indexOf(code) !== at).map((code) => `${name}: ${code}`);
    });
    expect(complaints).toEqual([]);
    const classes = new Map(
      endpoints.flatMap(({ endpoint }) => endpoint.failures.map((each) => [each, each.code])),
    );
    const codes = [...classes.values()];
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  test("give refusals codes in snake_case and sentences", () => {
    const all = new Set(endpoints.flatMap(({ endpoint }) => endpoint.failures));
    expect([...all].filter(({ code }) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
    expect([...all].filter(({ sentence }) => !/^[A-Z].*\.$/.test(sentence))).toEqual([]);
  });
});

describe("The specification", () => {
  const declared = new Map(endpoints.map(({ endpoint }) => [routeOf(endpoint), endpoint]));

  test("is copied without a duplicate row", () => {
    const routes = specified.map(routeOf);
    expect(routes.filter((route, at) => routes.indexOf(route) !== at)).toEqual([]);
    expect(routes).toHaveLength(85);
  });

  test("has only rows that are declared or left to a later issue", () => {
    const forgotten = specified.filter((row) => row.open === undefined && !declared.has(routeOf(row)));
    expect(forgotten.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test("has no declared row that is still called open", () => {
    const done = specified.filter((row) => row.open !== undefined && declared.has(routeOf(row)));
    expect(done.map(({ method, path, open }) => `${method} ${path}: take "open: ${open}" away`)).toEqual([]);
  });

  const declaredRows = specified.flatMap((row) => {
    const endpoint = declared.get(routeOf(row));
    return endpoint === undefined ? [] : [{ ...row, takes: row.takes ?? [], endpoint }];
  });

  test.each(declaredRows)(
    "$method $path accepts what the row says",
    ({ takes, openFields = {}, endpoint }) => {
      const fields = [...fieldsOf(endpoint.query), ...fieldsOf(endpoint.body)];
      expect(takes.filter((field) => !fields.includes(field) && openFields[field] === undefined)).toEqual([]);
      expect(
        Object.keys(openFields).filter((field) => fields.includes(field) || !takes.includes(field)),
      ).toEqual([]);
    },
  );

  test.each(Object.entries(laterIssues))("leaves rows or fields to issue %s: %s", (issue) => {
    // When the last row is declared, its issue leaves the list of later ones.
    const left = specified.filter(
      ({ open, openFields }) =>
        open === Number(issue) || Object.values(openFields ?? {}).some((later) => later === Number(issue)),
    );
    expect(left.length).toBeGreaterThan(0);
  });
});
