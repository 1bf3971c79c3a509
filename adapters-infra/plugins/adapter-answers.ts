import { z } from "zod";
import { desiredSkillsOf } from "../../core/model/agents/agent-config.ts";
import type { DetectedModel, SkillEntry, SkillsSnapshot } from "../../ports/agent-adapter.ts";
import { oneLine } from "./plain-text.ts";

/** An external adapter may answer anything: values outside the contract are dropped. */
const text = z.string().transform((value) => oneLine(value, 4096));
const nonEmptyText = text.pipe(z.string().min(1));
const most = 1000;

const Entry = z.object({
  key: nonEmptyText,
  runtimeName: text,
  desired: z.boolean(),
  managed: z.boolean(),
  state: z.enum(["available", "configured", "installed", "missing", "stale", "external"]),
  origin: z.enum(["company_managed", "user_installed", "external_unknown"]).optional(),
  originLabel: text.optional(),
  locationLabel: text.optional(),
  readOnly: z.boolean().optional(),
  sourcePath: text.optional(),
  targetPath: text.optional(),
  detail: text.optional(),
});

const Snapshot = z.object({
  supported: z.boolean().catch(true),
  mode: z.enum(["unsupported", "persistent", "ephemeral"]).catch("ephemeral"),
  entries: z.array(z.unknown()).catch([]),
  warnings: z.array(z.unknown()).catch([]),
});

const listed = <A>(found: readonly unknown[], schema: z.ZodType<A>): readonly A[] =>
  found.slice(0, most).flatMap((one) => {
    const read = schema.safeParse(one);
    return read.success ? [read.data] : [];
  });

/** `desiredSkills` is the stored list, whatever the adapter answers. */
export const readSnapshot = (
  adapterType: string,
  config: Readonly<Record<string, unknown>>,
  snapshot: unknown,
): SkillsSnapshot => {
  const read = Snapshot.safeParse(snapshot);
  const { supported, mode, entries, warnings } = read.success ? read.data : Snapshot.parse({});
  return {
    adapterType,
    supported,
    mode,
    desiredSkills: desiredSkillsOf(config),
    entries: listed(entries, Entry) as readonly SkillEntry[],
    warnings: listed(warnings, text),
  };
};

export const unsupportedSkills = (
  adapterType: string,
  config: Readonly<Record<string, unknown>>,
): SkillsSnapshot =>
  readSnapshot(adapterType, config, { supported: false, mode: "unsupported", entries: [], warnings: [] });

const Detected = z.object({
  model: nonEmptyText,
  provider: text,
  source: text,
  candidates: z.array(z.unknown()).catch([]),
});

export const readDetectedModel = (found: unknown): DetectedModel | null => {
  const read = Detected.safeParse(found);
  if (!read.success) return null;
  const { model, candidates } = read.data;
  return { ...read.data, candidates: [...new Set([model, ...listed(candidates, nonEmptyText)])] };
};
