import { describe, expect, it } from "vitest";
import {
  changesOf,
  draftOf,
  emptyDraft,
  jsonOf,
  newAgentOf,
  patchOf,
  unfinishedVariable,
  withJson,
} from "../../hosts/web/nouns/agents/agent-draft.ts";
import { emptyRow } from "../../hosts/web/nouns/agents/environment.ts";

const ada = {
  id: "a-1",
  name: "Ada",
  role: "engineer",
  title: null,
  reportsTo: null,
  capabilities: null,
  adapterType: "process",
  adapterConfig: {
    command: "/bin/true",
    headers: { a: "1", b: "2" },
    env: {
      KEY: { type: "secret_ref", secretId: "s-1", version: 3 },
      OLD: { type: "plain", value: "text" },
    },
  },
  runtimeConfig: { heartbeat: { enabled: true, intervalSec: 900 }, maxCostCents: 50 },
  budgetMonthlyCents: 0,
  metadata: null,
} as unknown as Parameters<typeof draftOf>[0];

describe("The form of an agent", () => {
  it("names the first variable that has no name or no secret, which would be lost", () => {
    const withRows = (...rows: object[]) => ({
      ...emptyDraft,
      environment: rows.map((row) => ({ ...emptyRow(), ...row })),
    });
    expect(unfinishedVariable(withRows({ name: "A", value: "" }))).toBeNull();
    expect(unfinishedVariable(withRows({ name: "A", from: "secret", secretId: "s" }))).toBeNull();
    expect(unfinishedVariable(withRows({ name: "A" }, { name: " ", value: "x" }))).toBe(
      "Give each variable a name, or remove its row.",
    );
    expect(unfinishedVariable(withRows({ name: "ANTHROPIC_API_KEY", from: "secret" }))).toBe(
      "Choose a secret for ANTHROPIC_API_KEY, or remove the row.",
    );
  });

  it("sends nothing of an agent that nobody changed", () => {
    expect(changesOf(draftOf(ada), draftOf(ada), "a-1")).toBeNull();
  });

  it("sends what was changed and nothing else, so that changes of others stay", () => {
    const before = draftOf(ada);
    expect(changesOf(before, { ...before, title: "Head", reportsTo: "a-2" }, "a-1")).toEqual({
      agentId: "a-1",
      title: "Head",
      reportsTo: "a-2",
    });
    expect(changesOf({ ...before, title: "Head" }, { ...before, title: " " }, "a-1")).toEqual({
      agentId: "a-1",
      title: null,
    });
  });

  it("deletes by name what is gone, at each depth, because the service merges", () => {
    expect(patchOf({ a: 1, in: { b: 2, c: 3 } }, { in: { c: 4 } })).toEqual({
      a: null,
      in: { b: null, c: 4 },
    });
    const before = draftOf(ada);
    const [unchanged] = before.environment;
    expect(changesOf(before, { ...before, environment: [unchanged!] }, "a-1")).toEqual({
      agentId: "a-1",
      adapterConfig: { env: { OLD: null } },
    });
    expect(changesOf(before, { ...before, runtime: { heartbeat: { enabled: false } } }, "a-1")).toEqual({
      agentId: "a-1",
      runtimeConfig: { heartbeat: { intervalSec: null, enabled: false }, maxCostCents: null },
    });
  });

  it("replaces a variable whole, and sends a secret by its id alone", () => {
    const before = draftOf(ada);
    const secret = { ...emptyRow(), name: "OLD", from: "secret" as const, secretId: "s-2" };
    expect(changesOf(before, { ...before, environment: [before.environment[0]!, secret] }, "a-1")).toEqual({
      agentId: "a-1",
      adapterConfig: { env: { OLD: { type: "secret_ref", secretId: "s-2", version: "latest" } } },
    });
  });

  it("leaves out what is empty in a new agent", () => {
    expect(newAgentOf({ ...emptyDraft, name: "Nell" }, "c-1")).toEqual({
      companyId: "c-1",
      name: "Nell",
      role: "engineer",
      adapterType: "process",
    });
  });

  it("is the same as fields and as JSON", () => {
    const draft = draftOf(ada);
    expect(changesOf(draft, withJson(draft, jsonOf(draft))!, "a-1")).toBeNull();
    for (const text of ["", "{", "[]", '{"adapterConfig": 3}', '{"adapterConfig": {}, "metadata": []}'])
      expect(withJson(draft, text)).toBeNull();
  });
});
