import { join } from "node:path";
import type { ExecuteContext, ProgramFile } from "../../ports/agent-adapter.ts";

export type RulesFileName =
  | "AGENTS.md"
  | "CLAUDE.md"
  | "GEMINI.md"
  | "QWEN.md"
  | ".github/instructions/company.instructions.md";

/**
 * The company's house rules as the file that a program reads for that by its name, outside of its workspace: nothing of
 * them comes into a commit. null where the company has none.
 */
export const rulesFile = (
  { houseRules, files }: Pick<ExecuteContext, "houseRules" | "files">,
  name: RulesFileName,
  head = "",
): Extract<ProgramFile, { readonly text: string }> | null =>
  houseRules === undefined ? null : { path: join(files, name), text: head + houseRules };

/** The house rules before the prompt of a program that reads such a file in its workspace alone; as codex says its own. */
export const rulesText = (houseRules: string | undefined): string | null =>
  houseRules === undefined
    ? null
    : `# AGENTS.md instructions of your company\n\n<INSTRUCTIONS>\n${houseRules.trim()}\n</INSTRUCTIONS>`;
