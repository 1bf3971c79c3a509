import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyExamples } from "../../hosts/api/body-examples.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes is looked at.
type Json = any;

let api: ApiService;
let document: Json;
beforeAll(async () => {
  api = await startApi();
  document = (await api.get("/api/openapi.json", { token: null })).body;
});
afterAll(() => api?.stop());

const everyNode = function* (node: Json, at: string): Generator<readonly [string, Json]> {
  if (typeof node !== "object" || node === null) return;
  yield [at, node];
  for (const [key, value] of Object.entries(node))
    yield* everyNode(value, `${at}/${key.replaceAll("/", "~1")}`);
};

const operations = (): { at: string; operation: Json }[] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

const resolve = (ref: string, root: Json): Json =>
  ref
    .slice(2)
    .split("/")
    .filter((part) => part !== "")
    .reduce((node, part) => node?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);

describe("The API description", () => {
  it("is OpenAPI 3.1, public, with nothing that the version does not know", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(Object.keys(document).sort()).toEqual([
      "components",
      "info",
      "openapi",
      "paths",
      "security",
      "servers",
      "tags",
    ]);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  });

  it("describes every endpoint and no other", () => {
    const described = operations().map(({ at }) => at);
    expect(described.sort()).toEqual(
      endpoints.map(({ endpoint: { method, path } }) => `${method} ${path}`).sort(),
    );
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids.sort()).toEqual(endpoints.map(({ name }) => name).sort());
  });

  it("has for every JSON body an example that its endpoint accepts", () => {
    const named = new Set(Object.keys(bodyExamples));
    for (const { name, endpoint } of endpoints) {
      const content = operations().find(({ operation }) => operation.operationId === name)?.operation
        .requestBody?.content?.["application/json"];
      if (content === undefined) continue;
      expect(content.example, name).toBeDefined();
      expect(endpoint.body?.safeParse(content.example).error?.issues ?? [], name).toEqual([]);
      named.delete(name);
    }
    expect([...named]).toEqual([]);
  });

  it("describes every operation with its purpose, input and answers", () => {
    for (const { at, operation } of operations()) {
      expect(operation.summary, at).toMatch(/\S/);
      expect(operation.tags, at).toHaveLength(1);
      const inPath = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters as {
        name: string;
        in: string;
        required: boolean;
        schema: Json;
      }[];
      const named = parameters.filter((parameter) => parameter.in === "path");
      expect(
        named.map(({ name }) => name),
        at,
      ).toEqual(inPath);
      expect(
        named.every(({ required }) => required),
        at,
      ).toBe(true);
      expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(
        parameters.length,
      );
      for (const parameter of parameters)
        expect(parameter.schema, `${at} ${parameter.name}`).toBeTypeOf("object");
      const statuses = Object.keys(operation.responses);
      const good = statuses.filter((status) => /^2\d\d$/.test(status));
      expect(["200", "201", "202", "204", "200 201"], at).toContain(good.join(" "));
      expect(
        statuses.every((status) => /^[2-5]\d\d$/.test(status)),
        at,
      ).toBe(true);
      for (const response of Object.values<Json>(operation.responses))
        expect(response.description, at).toMatch(/\S/);
    }
  });

  it("has no dangling reference", () => {
    for (const [place, node] of everyNode(document, "#")) {
      if (typeof node.$ref !== "string") continue;
      expect(resolve(node.$ref, document), `${place}: ${node.$ref}`).toBeTypeOf("object");
    }
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[\w.-]+$/);
  });

  it("leaves no schema empty if a type is known", () => {
    const empty = (schema: Json) =>
      Object.keys(schema).every((key) => key === "description" || key === "default" || key === "title");
    const found: string[] = [];
    for (const { at, operation } of operations())
      for (const [place, node] of everyNode(operation, at))
        for (const [key, value] of Object.entries<Json>(node)) {
          const fields = key === "properties" ? Object.entries<Json>(value) : [];
          for (const [name, schema] of fields) if (empty(schema)) found.push(`${place}.${name}`);
          if ((key === "schema" || key === "items") && empty(value)) found.push(`${place}/${key}`);
        }
    expect(found).toEqual([]);
  });

  it("names every record, so that generated clients have readable types", () => {
    const { schemas } = document.components;
    for (const name of [
      "Issue",
      "IssueDetail",
      "IssueRow",
      "Comment",
      "Agent",
      "Company",
      "Run",
      "Approval",
      "Secret",
      "Vault",
    ])
      expect(Object.keys(schemas), name).toContain(name);
    const list = document.paths["/api/companies/{companyId}/issues"].get.responses["200"];
    expect(list.content["application/json"].schema.items).toEqual({ $ref: "#/components/schemas/IssueRow" });
    for (const { at, operation } of operations())
      for (const response of Object.values<Json>(operation.responses))
        for (const { schema } of Object.values<Json>(response.content ?? {}))
          expect((schema.items ?? schema).properties, at).toBeUndefined();
  });

  it("lists every status that its operations answer with: paths, bodies, keys and credentials", () => {
    for (const { endpoint, name } of endpoints) {
      const { responses } = document.paths[endpoint.path][endpoint.method.toLowerCase()];
      const statuses = Object.keys(responses);
      if (endpoint.path.includes("{")) expect(statuses, name).toContain("404");
      if (endpoint.body !== null) expect(statuses, name).toEqual(expect.arrayContaining(["413", "415"]));
      if (endpoint.creates !== null)
        expect(responses["409"].description, name).toContain("idempotency_key_reused");
      if (endpoint.raw === undefined) expect(statuses, name).toEqual(expect.arrayContaining(["401", "403"]));
    }
  });

  it("states the bounds of a field, a filter and an interaction", () => {
    const { schemas } = document.components;
    expect(schemas.VaultsCreateRequest.properties.displayName.maxLength).toBe(120);
    expect(schemas.IssuesCommentRequest.properties.body.minLength).toBe(1);
    const { parameters } = document.paths["/api/companies/{companyId}/issues"].get;
    const status = parameters.find(({ name }: Json) => name === "status");
    expect(status).toMatchObject({ style: "form", explode: false });
    expect(status.schema.items.enum).toContain("in_review");
    const interaction =
      document.paths["/api/issues/{issueId}/interactions"].post.requestBody.content["application/json"];
    expect(interaction.schema.discriminator.propertyName).toBe("kind");
    for (const [kind, ref] of Object.entries<string>(interaction.schema.discriminator.mapping)) {
      const variant = resolve(ref, document);
      expect(variant.properties.kind.const).toBe(kind);
      expect(resolve(variant.properties.payload.$ref, document).properties).toBeDefined();
    }
  });

  it("states the headers that matter", () => {
    const headers = (path: string, method: string) =>
      document.paths[path][method].parameters
        .filter((parameter: Json) => parameter.in === "header")
        .map(({ name }: Json) => name);
    expect(headers("/api/companies/{companyId}/events", "get")).toContain("Last-Event-ID");
    expect(headers("/api/issues/{issueId}", "patch")).toContain("X-CSRF-Token");
    expect(document.servers).toEqual([{ url: api.url }]);
    expect(document.tags.map(({ name }: Json) => name).sort()).toEqual(
      [...new Set(endpoints.map(({ group }) => group))].sort(),
    );
  });

  it("states the required access of each caller", () => {
    for (const { endpoint, name } of endpoints) {
      const operation = document.paths[endpoint.path][endpoint.method.toLowerCase()];
      if (endpoint.access.anyone) expect(operation.security, name).toEqual([]);
      else
        expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(["400", "401", "403"]));
      const takesKey = operation.parameters.some(
        (parameter: Json) => parameter.in === "header" && parameter.name === "Idempotency-Key",
      );
      expect(takesKey, name).toBe(
        endpoint.creates !== null || Object.hasOwn(endpoint.raw ?? {}, "Idempotency-Key"),
      );
    }
    for (const requirement of document.security)
      for (const scheme of Object.keys(requirement))
        expect(document.components.securitySchemes).toHaveProperty(scheme);
  });
});
