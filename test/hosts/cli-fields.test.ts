import pc from "picocolors";
import { describe, expect, test } from "vitest";
import type { Paper } from "../../hosts/cli/print/cells.ts";
import { cellOf } from "../../hosts/cli/print/field-cell.ts";
import { anyColumns, plainRecord } from "../../hosts/cli/print/plain-record.ts";
import { columns, columnsOf, rowsTable } from "../../hosts/cli/print/printers.ts";

const agentId = "0193a0f0-0000-7000-8000-00000000000a";
const at = "2026-11-21T11:57:00.000Z";

const paper: Paper = {
  width: null,
  colors: pc.createColors(true),
  now: () => new Date("2026-11-21T12:00:00.000Z"),
  names: new Map([[agentId, "Ada Lovelace"]]),
};
const plain: Paper = { ...paper, colors: pc.createColors(false) };
const { bold, green, red, dim } = paper.colors;

describe("a field is shown by what it is", () => {
  test.each<[string, unknown, string]>([
    ["createdAt", at, "3m ago"],
    ["waitingSince", at, "3m ago"],
    ["spentMonthlyCents", 1250, "$12.50"],
    ["budgetMonthlyCents", 0, "no limit"],
    ["referenceCount", 12_345, "12,345"],
    ["timeoutSec", 600, "600 s"],
    ["revisionNumber", 12_345, "12345"],
    ["assigneeAgentId", agentId, "Ada Lovelace"],
    ["reportsTo", agentId, "Ada Lovelace"],
    ["assigneeUserId", "0193a0f0-0000-7000-8000-0123456789ab", "…456789ab"],
    ["issueId", agentId, agentId],
    ["admin", true, "yes"],
    ["admin", false, "no"],
    ["changedKeys", ["name", "role"], "name, role"],
    ["changedKeys", [], "–"],
    ["error", null, "–"],
    ["error", undefined, "–"],
  ])("%s of %j: %s", (field, value, text) => {
    expect(cellOf(field, value, paper)).toEqual({ text });
  });

  test.each([
    ["status", "done", green],
    ["priority", "critical", red],
    ["level", "error", red],
    ["outcome", "success", green],
    ["state", "missing", red],
  ])("%s %s has a colour", (field, value, paint) => {
    expect(cellOf(field, value, paper).paint?.(value)).toBe(paint(value));
  });

  test("a record adds the value behind a time or a name, and tables show no more than that", () => {
    const row = { ownerAgentId: agentId, createdAt: at, isDefault: true };
    expect(plainRecord(row, plain)).toBe(
      [`  owner    Ada Lovelace  (${agentId})`, `  created  3m ago  (${at})`, "  default  yes", ""].join(
        "\n",
      ),
    );
    expect(rowsTable<never>(anyColumns(row), [row as never], plain)).toBe(
      "OWNER         CREATED  DEFAULT\nAda Lovelace  3m ago   yes\n",
    );
  });
});

describe("columns", () => {
  interface Row {
    readonly name: string;
    readonly doneAs: "verified" | null;
    readonly status: string;
    readonly lastUsedAt: string | null;
  }
  const rows: readonly Row[] = [
    { name: "Ada", doneAs: "verified", status: "done", lastUsedAt: null },
    { name: "Bob", doneAs: null, status: "failed", lastUsedAt: at },
  ];

  test("headings and texts come from the fields; of several fields the first with a value is shown", () => {
    const declared = columnsOf<Row>("name", { field: ["doneAs", "status"], title: "STATUS" }, "lastUsedAt", {
      title: "LENGTH",
      show: ({ name }) => String(name.length),
    });
    expect(rowsTable(declared, rows, paper)).toBe(
      [
        `${dim("NAME")}  ${dim("STATUS")}    ${dim("LAST USED")}  ${dim("LENGTH")}`,
        `${bold("Ada")}   ${green("verified")}  –          3`,
        `${bold("Bob")}   ${red("failed")}    3m ago     3`,
        "",
      ].join("\n"),
    );
  });

  test("a column that is marked as strong is the only bold one", () => {
    const text = rowsTable(columnsOf<Row>("name", { field: "status", strong: true }), rows, paper);
    expect(text).toContain(`Ada   ${bold("done")}`);
  });

  test("a narrow terminal cuts no heading", () => {
    const long = [{ requestedByUserId: "Somebody with a name of many characters", name: "a".repeat(60) }];
    const text = rowsTable(columnsOf<(typeof long)[number]>("name", "requestedByUserId"), long, {
      ...plain,
      width: 30,
      names: new Map(),
    });
    expect(text.split("\n").every((line) => line.length <= 30)).toBe(true);
    expect(text).toContain("REQUESTED BY");
  });

  test("a field that the shape does not have is a type error", () => {
    // @ts-expect-error: a routine has no priorities.
    columns("RoutineShape", "title", "priorities");
    // @ts-expect-error: an object is no text.
    columns("RoutineShape", { field: "lastResult" });
  });
});
