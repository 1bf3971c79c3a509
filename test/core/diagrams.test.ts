import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentMoves } from "../../core/model/agents/agent-status.ts";
import { approvalMoves } from "../../core/model/approvals/approval-status.ts";
import { companyMoves } from "../../core/model/companies/company.ts";
import { interactionMoves } from "../../core/model/issues/interactions/interaction-status.ts";
import { issueMoves } from "../../core/model/issues/issue-status.ts";
import { routineMoves } from "../../core/model/routines/routine.ts";
import { routineRunMoves } from "../../core/model/routines/routine-run.ts";
import { messageMoves } from "../../core/model/runs/messages/run-message.ts";
import { runMoves } from "../../core/model/runs/run-status.ts";
import { type WakeReason, wakeReasons } from "../../core/model/runs/wake-reason.ts";
import type { Moves } from "../../core/model/shared/moves.ts";
import { root } from "../support/imports.ts";

/** Prints a table of moves as a mermaid diagram; `first` are the initial states. */
const diagram = <State extends string>(moves: Moves<State>, first: readonly NoInfer<State>[]): string => {
  const states = Object.keys(moves) as State[];
  const lines = [
    ...first.map((state) => `[*] --> ${state}`),
    ...states.flatMap((from) =>
      (Object.entries(moves[from]) as [State, string][]).map(([to, by]) => `${from} --> ${to}: ${by}`),
    ),
    ...states.filter((state) => Object.keys(moves[state]).length === 0).map((state) => `${state} --> [*]`),
  ];
  return ["```mermaid", "stateDiagram-v2", ...lines.map((line) => `  ${line}`), "```"].join("\n");
};

const wakes = [
  "| reason | source | about the agent's own issue |",
  "|---|---|---|",
  ...(Object.keys(wakeReasons) as WakeReason[]).map(
    (reason) =>
      `| \`${reason}\` | ${wakeReasons[reason].source} | ${wakeReasons[reason].aboutOwnIssue ? "yes" : "no"} |`,
  ),
].join("\n");

const printed: Readonly<Record<string, string>> = {
  company: diagram(companyMoves, ["active"]),
  issue: diagram(issueMoves, ["backlog", "todo"]),
  interaction: diagram(interactionMoves, ["pending"]),
  agent: diagram(agentMoves, ["idle", "pending_approval"]),
  run: diagram(runMoves, ["queued"]),
  approval: diagram(approvalMoves, ["pending"]),
  routine: diagram(routineMoves, ["active", "paused"]),
  routine_run: diagram(routineRunMoves, ["received"]),
  run_message: diagram(messageMoves, ["sent", "new_run"]),
  wakes,
};

const path = join(root, "core/README.md");
const section = (name: string) => new RegExp(`(<!-- printed: ${name} -->\n)([\\s\\S]*?)(<!-- end -->)`);

if (process.env.UPDATE_DIAGRAMS) {
  let text = await readFile(path, "utf8");
  for (const [name, drawn] of Object.entries(printed))
    text = text.replace(section(name), (_, begin, __, end) => `${begin}${drawn}\n${end}`);
  await writeFile(path, text);
}
const readme = await readFile(path, "utf8");

test.each(Object.entries(printed))("core/README.md shows %s as the table has it", (name, drawn) => {
  expect(section(name).exec(readme)?.[2]?.trim()).toBe(drawn);
});

test("core/README.md marks only printed diagrams as printed", () => {
  const marked = [...readme.matchAll(/<!-- printed: (\w+) -->/g)].map(([, name]) => name);
  expect(marked.sort()).toEqual(Object.keys(printed).sort());
});

test("core/README.md names only files that exist", async () => {
  const named = [...readme.matchAll(/`((?:[a-z-]+\/)+[a-z0-9-]+\.(?:ts|sql))`/g)].map(([, path]) => path!);
  const folders = ["", "core", "adapters-infra/postgres", "test"];
  const missing: string[] = [];
  for (const path of new Set(named)) {
    const reads = folders.map((folder) =>
      readFile(join(root, folder, path)).then(
        () => true,
        () => false,
      ),
    );
    if (!(await Promise.all(reads)).includes(true)) missing.push(path);
  }
  expect(missing).toEqual([]);
});
