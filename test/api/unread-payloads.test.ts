import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { oneOfEach } from "../support/one-of-each.ts";

/** Columns that may have a mebibyte, and the only reads that need them. A statement that reads another fails. */
const large = {
  "approvals.payload": [
    "/api/companies/{companyId}/approvals",
    "/api/issues/{issueId}/approvals",
    "/api/approvals/{approvalId}",
    "/api/approvals/{approvalId}/authority",
  ],
  "interactions.payload": [
    "/api/issues/{issueId}/interactions",
    "/api/issues/{issueId}/interactions/{interactionId}",
  ],
  "agents.adapter_config": [
    "/api/companies/{companyId}/template",
    "/api/companies/{companyId}/agents",
    "/api/agents/{agentId}",
    "/api/agents/{agentId}/skills",
    "/api/agents/{agentId}/mcp-servers",
  ],
  "comments.body": [
    "/api/issues/{issueId}/comments",
    "/api/issues/{issueId}/comments/{commentId}/revisions",
    "/api/issues/{issueId}/line-comments",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

let api: ApiService;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await startApi();
  ids = await oneOfEach(api);
  const { id: reportsTo } = await api.agent(ids.companyId!);
  const adapterConfig = { command: "true", args: ["long ".repeat(100_000)] };
  await api.make(`/api/companies/${ids.companyId}/agent-hires`, { name: "Late", reportsTo, adapterConfig });
  await api.make(`/api/issues/${ids.issueId}/interactions`, {
    kind: "suggest_tasks",
    payload: { tasks: [{ clientKey: "a", title: "A", description: "long ".repeat(4_000) }] },
  });
});
afterAll(() => api?.stop());

const reads = endpoints
  .map(({ endpoint }) => endpoint)
  .filter(({ method, media }) => method === "GET" && (media === "json" || media === "page"));

const answers = async (): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  for (const { path } of reads) {
    const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "none");
    found.set(path, (await api.get(asked)).status);
  }
  return found;
};

describe("A read that does not show a large text does not read it either", () => {
  it.each(Object.entries(large))("%s", async (name, needed) => {
    const [table = "", column = ""] = name.split(".");
    const before = await answers();
    expect(before.get("/api/companies/{companyId}/inbox")).toBe(200);
    await api.sql`alter table ${api.sql(table)} rename column ${api.sql(column)} to hidden`;
    const during = await answers();
    await api.sql`alter table ${api.sql(table)} rename column hidden to ${api.sql(column)}`;
    const failing = [...during].filter(([path, status]) => status !== before.get(path)).map(([path]) => path);
    expect(failing.sort()).toEqual([...needed].sort());
  });

  it("and its outline is short", async () => {
    const lengths = await api.sql<{ length: number }[]>`
      select octet_length(outline::text) as length from approvals where outline is not null
      union all
      select octet_length(outline::text) from interactions where outline is not null
    `;
    expect(lengths.length).toBeGreaterThanOrEqual(2);
    for (const { length } of lengths) expect(length).toBeLessThan(2_000);
  });
});
