import type { ParsedEntry as Entry } from "../../../../core/model/runs/parsed-entries.ts";

/** A row of a transcript: an entry, and of a tool's use both the call and its result. */
export interface Step {
  /** Of the entry, whatever is read before it. */
  readonly key: number;
  readonly entry: Entry;
  readonly result: Entry | null;
  /** How long the tool ran, or the program took to say this; null where it is not known. */
  readonly tookMs: number | null;
  /** The model's use for it, where the program tells it. */
  readonly usage: Usage | null;
}

export interface Usage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

const usageOf = (reported: unknown): Usage | null => {
  if (typeof reported !== "object" || reported === null) return null;
  const { inputTokens, cachedTokens, outputTokens, costUsd } = reported as Readonly<Record<string, unknown>>;
  const usage = {
    inputTokens: count(inputTokens),
    cachedTokens: count(cachedTokens),
    outputTokens: count(outputTokens),
    costUsd: count(costUsd),
  };
  return Object.values(usage).some((figure) => figure > 0) ? usage : null;
};

const between = (from: string | undefined, to: string): number | null => {
  const took = from === undefined ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isNaN(took) || took < 0 ? null : took;
};

/** Whether the program thought or spoke meanwhile: its own output and the start say nothing of how long they took. */
const isFromModel = ({ kind }: Entry): boolean => kind === "assistant" || kind === "thinking";

/** Puts results to their calls. A result whose call has not been read is a row of its own until it is. */
export const stepsOf = (entries: readonly Entry[], firstKey: number): readonly Step[] => {
  const steps: Step[] = [];
  /** The rows of calls without a result, by the id of the tool's use. */
  const open = new Map<unknown, number>();
  entries.forEach((entry, at) => {
    if (entry.kind === "tool_result") {
      const row = open.get(entry.toolUseId);
      if (row !== undefined) {
        const call = steps[row]!;
        steps[row] = { ...call, result: entry, tookMs: between(call.entry.ts, entry.ts) };
        open.delete(entry.toolUseId);
        return;
      }
    }
    if (entry.kind === "tool_call" && entry.toolUseId !== undefined) open.set(entry.toolUseId, steps.length);
    const usage = usageOf(entry.kind === "result" ? entry : entry.usage);
    const before = steps.at(-1);
    // A message in several blocks tells its use with each of them.
    if (usage !== null && entry.messageId !== undefined && before?.entry.messageId === entry.messageId)
      steps[steps.length - 1] = { ...before!, usage: null };
    const tookMs = isFromModel(entry) ? between(entries[at - 1]?.ts, entry.ts) : null;
    steps.push({ key: firstKey + at, entry, result: null, tookMs, usage });
  });
  return steps;
};

export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Longer texts are shown as they are: to compare them takes too long. */
const maxCompared = 20_000;

const first = (fields: Readonly<Record<string, unknown>>, names: readonly string[]): string | null => {
  for (const name of names) if (typeof fields[name] === "string") return fields[name];
  return null;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const pathNames = ["file_path", "filePath", "path", "notebook_path"];

/** The replacements that a call makes in a file, as the programs name them. */
export const editsOf = ({ kind, input }: Entry): readonly Edit[] => {
  if (kind !== "tool_call" || !isObject(input)) return [];
  const path = first(input, pathNames);
  if (path === null) return [];
  const parts = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return parts.flatMap((part): readonly Edit[] => {
    const after = first(part, ["new_string", "newString", "new_text", "newText", "content", "new_source"]);
    if (after === null) return [];
    const before = first(part, ["old_string", "oldString", "old_text", "oldText"]) ?? "";
    return before.length + after.length > maxCompared ? [] : [{ path, before, after }];
  });
};

const isWriting = (name: unknown): boolean =>
  typeof name === "string" && /edit|write|patch|file_change|create|replace/i.test(name);

/** The files that the steps wrote, in the order of the first time, with the row of the last. */
export const filesOf = (steps: readonly Step[]): ReadonlyMap<string, number> => {
  const files = new Map<string, number>();
  steps.forEach(({ entry, result }, row) => {
    if (entry.kind !== "tool_call" || !isWriting(entry.name) || result?.isError === true) return;
    if (!isObject(entry.input)) return;
    const changes = Array.isArray(entry.input.changes) ? entry.input.changes.filter(isObject) : [entry.input];
    for (const change of changes) {
      const path = first(change, pathNames);
      if (path !== null) files.set(path, row);
    }
  });
  return files;
};
