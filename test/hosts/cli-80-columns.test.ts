import pc from "picocolors";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endpoints } from "../../hosts/api/index.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { declaredCommands } from "../../hosts/cli/endpoints/declared-commands.ts";
import { kebab } from "../../hosts/cli/kebab.ts";
import { displayWidth } from "../../hosts/cli/print/format.ts";
import { print } from "../../hosts/cli/print/print.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const agentId = "0193a0f0-0000-7000-8000-00000000000a";
const id = "0193a0f0-1111-7000-8000-00000000000b";

/** Realistic long values of plain text fields. */
const typical: Readonly<Record<string, string>> = {
  action: "secret_provider_config.created",
  agentName: "Ada Lovelace",
  adapterType: "adapter_a_local",
  billingType: "subscription",
  configPath: "adapterConfig.env.TOKEN",
  color: "#2f81f7",
  contentType: "application/pdf",
  cronExpression: "30 9 * * mon-fri",
  day: "2026-11-21",
  entityType: "issue",
  errorCode: "provider_unavailable",
  identifier: "ACME-1234",
  issueIdentifier: "ACME-1234",
  issuePrefix: "ACME",
  key: "payments-api-key",
  model: "claude-sonnet-4-5-20250929",
  name: "Ada Lovelace",
  label: "The model that thinks longest",
  priority: "critical",
  provider: "anthropic",
  role: "engineer",
  scheduledFor: "2026-11-23T09:30:00.000Z",
  targetDate: "2026-12-31",
  type: "adapter_a_local",
  urlKey: "ada-lovelace",
  version: "1.12.3",
  wakeReason: "issue_blockers_resolved",
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A record with every field filled, and the longest status of each. */
const filled = (schema: Schema, field = "", depth = 0): unknown => {
  const of = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  if (of.const !== undefined) return of.const;
  if (of.enum !== undefined)
    return of.enum.map(String).reduce((longest, one) => (one.length > longest.length ? one : longest));
  if (of.properties !== undefined)
    return Object.fromEntries(
      Object.entries(of.properties).map(([name, part]) => [name, filled(part, name, depth + 1)]),
    );
  const type = typeof of.type === "string" ? of.type : of.type?.find((one) => one !== "null");
  if (type === "array")
    return depth > 2 || of.items === undefined ? [] : [filled(of.items, field, depth + 1)];
  if (type === "object") return { subject: "Who owns the billing of the new customers" };
  if (type === "boolean") return true;
  if (type === "number" || type === "integer") return /Cents$/.test(field) ? 125_000 : 12_345;
  if (/(?:At|Since)$/.test(field)) return "2026-11-21T11:50:21.000Z";
  if (/(?:AgentId|UserId|agentId|userId|actorId|consumerId|reportsTo)$/.test(field)) return agentId;
  if (of.format === "uuid" || /(?:^id|Id)$/.test(field)) return id;
  return typical[field] ?? "The quarterly report was published and customers were told";
};

const lists = endpoints
  .map(({ name, endpoint }) => ({
    name,
    schema: z.toJSONSchema(endpoint.returns, { unrepresentable: "any", io: "output" }) as Schema,
  }))
  .filter(({ schema }) => schema.type === "array");

const commandNamed = (name: string) => declaredCommands.find((one) => one.name === name)!;

const listed = (name: string, width: number | null): string => {
  const { schema } = lists.find((one) => one.name === name)!;
  const row = filled(schema.items!);
  return print(commandNamed(name), [row, row], {
    width,
    colors: pc.createColors(false),
    now: () => now,
    names: new Map([[agentId, "Ada Lovelace"]]),
  });
};

const widest = (text: string): number => Math.max(...text.split("\n").map(displayWidth));

describe("lists on a terminal of 80 columns", () => {
  test("the lists are those of the interface", () => {
    expect(lists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["runs.list", "approvals.list", "tokens.list", "grants.list", "activity.list"]),
    );
  });

  // Threads and changes are texts, which a terminal wraps; the chain of command is a tree.
  const texts = ["agents.org", "issues.changes", "runs.changes", "workspaces.commands"];
  const tables = lists.filter(({ name }) => !name.endsWith("omments") && !texts.includes(name));
  test.each(tables.map(({ name }) => name))("%s fits", (name) => {
    const text = listed(name, 80);
    expect(widest(text), text).toBeLessThanOrEqual(80);
  });

  test.each(tables.map(({ name }) => name))("%s shows an id whole or not at all", (name) => {
    const text = listed(name, 80);
    expect(text.includes(id), text).toBe(listed(name, null).includes(id));
    expect(text).not.toMatch(/[0-9a-f]{4}-[0-9a-f]{0,11}…/);
  });

  test.each([
    ["runs.list", ["RUN", "AGENT", "ISSUE", "STATUS"]],
    ["approvals.list", ["APPROVAL", "TYPE", "STATUS", "ABOUT"]],
    ["grants.list", ["GRANT", "AGENT", "MAY", "REVOKED"]],
    ["tokens.list", ["NAME", "EXPIRES", "REVOKED", "ID"]],
    ["activity.list", ["WHEN", "WHO", "WHAT", "ABOUT", "DETAILS"]],
    ["agents.list", ["NAME", "KEY", "STATUS"]],
  ])("%s keeps the ids and the decisive columns: %j", (name, columns) => {
    const [heading] = listed(name, 80).split("\n");
    expect(heading?.split(/ {2,}/)).toEqual(expect.arrayContaining(columns));
  });

  test("shows every column that fits", () => {
    const heading = (width: number | null) => listed("runs.list", width).split("\n")[0]?.split(/ {2,}/);
    const all = ["RUN", "AGENT", "ISSUE", "STATUS", "WOKEN BY", "STARTED", "TOOK", "ERROR"];
    expect(heading(140)).toEqual(all);
    expect(heading(null)).toEqual(all);
    expect(heading(110)).toEqual(all.filter((title) => title !== "WOKEN BY"));
  });
});

test("session get: each company on a line of its own", () => {
  const companies = [1, 2, 3].map((at) => ({ companyId: `${id.slice(0, -1)}${at}`, role: "operator" }));
  const text = print(
    commandNamed("session.get"),
    { userId: agentId, name: "Ada Lovelace", admin: false, companies },
    { width: 80, colors: pc.createColors(false), now: () => now, names: new Map() },
  );
  expect(widest(text)).toBeLessThanOrEqual(80);
  for (const { companyId } of companies) expect(text).toMatch(new RegExp(` operator of ${companyId}$`, "m"));
});

describe("help on a terminal of 80 columns", () => {
  const helpOf = async (words: readonly string[], width: number | null): Promise<string> => {
    let out = "";
    const note = (text: string) => {
      out += text;
    };
    const colors = pc.createColors(false);
    await cli([...words, "--help"], {
      out: note,
      err: note,
      stdin: async () => "",
      env: {},
      width,
      colors,
      now: () => now,
    });
    return out;
  };
  const groups = [...new Set(endpoints.map(({ group }) => group))];

  test.each([
    [
      "",
      [[], ["serve"], ["demo"], ["doctor"], ["runs", "follow"], ["adapters", "new"], ["adapters", "check"]],
    ],
    ...groups.map((group): [string, string[][]] => [
      group,
      [
        [kebab(group)],
        ...endpoints
          .filter((one) => one.group === group && one.endpoint.raw === undefined)
          .map(({ action }) => [kebab(group), kebab(action)]),
      ],
    ]),
  ])("boardroom %s", async (_, commands) => {
    for (const words of commands) {
      const text = await helpOf(words, 80);
      expect(text).toContain("Usage:");
      // The usage of a command is one line of any length, which the terminal wraps.
      const wide = text.split("\n").filter((line) => displayWidth(line) > 80 && !line.startsWith("Usage:"));
      expect(wide, words.join(" ")).toEqual([]);
    }
  });

  test("piped help has the same width", async () => {
    expect(await helpOf(["issues", "create"], null)).toBe(await helpOf(["issues", "create"], 80));
  });

  test("an example over several lines is one shell command", async () => {
    const text = await helpOf(["issues", "create"], 80);
    const joined = text.replace(/ \\\n +/g, " ");
    expect(text).toMatch(/ \\\n {6}--/);
    expect(joined).toContain('boardroom issues create --title "Fix the login" --description @login.md');
  });
});
