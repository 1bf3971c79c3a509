import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type {
  AgentAdapter,
  ExecuteResult,
  OfferedSkill,
  SessionCodec,
  SkillsSnapshot,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";

/** Checks one rule: a returned text, a thrown error or work beyond the limit, 2 minutes by default, is the problem. */
export type Check = (rule: string, inspect: () => unknown, limit?: Limit) => Promise<void>;

export interface Limit {
  readonly sec: number;
  /** The settings that it comes from. */
  readonly by?: string;
}

/** Checks the optional parts of an adapter: each is complete or absent. */
export const checkAnswers = async (
  check: Check,
  adapter: AgentAdapter,
  context: TestEnvironmentContext,
  result: ExecuteResult | null,
): Promise<void> => {
  await check("a session is plain JSON, and what the codec keeps of it comes back the same", () =>
    sessionProblem(adapter.sessionCodec, result?.sessionParams),
  );
  await check("a session codec answers null to what is no session, and never throws", () =>
    foreignSessionProblem(adapter.sessionCodec),
  );
  await check("models are listed by id, each once", async () => {
    const found = (await adapter.listModels?.(context)) ?? adapter.models;
    if (!found.every(({ id, label }) => isText(id) && typeof label === "string"))
      return "one has no id or label";
    return new Set(found.map(({ id }) => id)).size === found.length || "one is there twice";
  });
  await check("a detected model is null, or has model, provider, source and candidates", async () => {
    const found = (await adapter.detectModel?.(context)) ?? null;
    if (found === null) return null;
    const { model, provider, source, candidates } = found;
    if (![model, provider, source].every(isText)) return "model, provider and source must be texts";
    return (Array.isArray(candidates) && candidates.every(isText)) || "candidates must be a list of texts";
  });
  await check("skills are listed and synchronised, or neither", () =>
    (adapter.listSkills === undefined) === (adapter.syncSkills === undefined)
      ? null
      : "it has one of listSkills and syncSkills",
  );
  await check("skills are desired as they were synchronised, and taken back", () =>
    skillsProblem(adapter, context),
  );
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const sessionProblem = (codec: SessionCodec | undefined, params: ExecuteResult["sessionParams"]) => {
  if (params === undefined) return null;
  if (!isDeepStrictEqual(throughJson(params), params))
    return "sessionParams of a heartbeat are no plain JSON";
  if (codec === undefined) return null;
  const stored = codec.serialize(params);
  if (stored === null) return "serialize knows not the session of a heartbeat";
  const back = codec.deserialize(throughJson(stored));
  if (back === null) return "deserialize knows not what serialize gave";
  if (!isDeepStrictEqual(codec.serialize(back), stored)) return "a session changes on its way there and back";
  const shown = codec.getDisplayId(back);
  return shown === null || isText(shown) || "getDisplayId must answer with a text or null";
};

const foreignSessions: readonly unknown[] = [
  null,
  undefined,
  3,
  "x",
  true,
  [],
  {},
  { sessionId: {} },
  { sessionId: "" },
];

const foreignSessionProblem = (codec: SessionCodec | undefined) => {
  if (codec === undefined) return null;
  for (const raw of foreignSessions) {
    const json = JSON.stringify(raw) ?? "undefined";
    if (codec.deserialize(raw) !== null) return `deserialize takes ${json} for a session`;
    if (codec.serialize(raw as never) !== null) return `serialize takes ${json} for a session`;
  }
  return codec.getDisplayId({}) === null || "getDisplayId shows something of {}";
};

const states = ["available", "configured", "installed", "missing", "stale", "external"];

const skillsProblem = async (adapter: AgentAdapter, asked: TestEnvironmentContext) => {
  if (adapter.listSkills === undefined || adapter.syncSkills === undefined) return null;
  const skill = await aSkill(asked.cwd);
  const without = { ...asked, offeredSkills: [skill] };
  const config = { ...asked.config, desiredSkills: [skill.key] };
  const listed = await adapter.listSkills(without);
  const synced = await adapter.syncSkills({ ...without, config }, [skill.key]);
  const takenBack = await adapter.syncSkills(without, []);
  for (const [snapshot, desired] of [
    [listed, []],
    [synced, [skill.key]],
    [takenBack, []],
  ] as const) {
    const problem = snapshotProblem(snapshot, adapter.type, desired);
    if (problem !== null) return problem;
  }
  const isConfigured = ({ entries }: SkillsSnapshot) =>
    entries.some(({ key, state }) => key === skill.key && (state === "configured" || state === "installed"));
  if (synced.supported && !isConfigured(synced)) return "a desired skill is neither configured nor installed";
  return isConfigured(takenBack) ? "a skill that was taken back is there" : null;
};

const snapshotProblem = (
  { adapterType, supported, mode, desiredSkills, entries, warnings }: SkillsSnapshot,
  type: string,
  desired: readonly string[],
): string | null => {
  if (adapterType !== type) return `adapterType is ${adapterType}`;
  if (typeof supported !== "boolean" || supported === (mode === "unsupported"))
    return `supported ${supported} does not go with mode ${mode}`;
  if (!Array.isArray(entries) || !Array.isArray(warnings)) return "entries and warnings must be lists";
  if (!supported) return entries.length === 0 ? null : "what is unsupported has no entries";
  if (!isDeepStrictEqual(desiredSkills, desired)) return `desiredSkills is ${JSON.stringify(desiredSkills)}`;
  if (new Set(entries.map(({ key }) => key)).size !== entries.length) return "two entries have one key";
  for (const { key, runtimeName, state, desired: isDesired, managed } of entries) {
    if (![key, runtimeName].every(isText)) return "an entry has no key or runtimeName";
    if (!states.includes(state)) return `an entry has state ${state}`;
    if (isDesired !== desired.includes(key) || typeof managed !== "boolean")
      return `desired or managed of ${key} is wrong`;
  }
  return null;
};

const aSkill = async (folder: string): Promise<OfferedSkill> => {
  const key = "conformance-check";
  const description = "Is here to be looked for.";
  const path = join(folder, "offered-skills", key);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "SKILL.md"), `---\nname: ${key}\ndescription: ${description}\n---\n`);
  return { key, description, path };
};
