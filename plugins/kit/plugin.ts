/**
 * `boardroom/plugin`: the base for adapter packages. The service does not need it at run time: bundle it into your
 * package, or use only the types and the conformance suite.
 */

export { failureReason } from "../../core/model/runs/failure-reason.ts";
export type {
  AdapterModel,
  AdapterPackage,
  AgentAdapter,
  ConfigSchema,
  DetectedModel,
  EnvironmentCheck,
  EnvironmentReport,
  ExecuteContext,
  ExecuteResult,
  LimitReport,
  LimitWindow,
  ModelsContext,
  OfferedSkill,
  ProcessOutcome,
  ProcessSpec,
  ProgramInput,
  RunSkills,
  SessionCodec,
  SkillEntry,
  SkillsContext,
  SkillsSnapshot,
  TestEnvironmentContext,
  TokenUsage,
} from "../../ports/agent-adapter.ts";
export {
  ConfigRefusal,
  flag,
  optionalCount,
  optionalText,
  requiredText,
  seconds,
  textList,
} from "./config.ts";
export { type Conformance, checkConformance } from "./conformance.ts";
export { checkCommand, checkCwd, environmentReport } from "./environment-report.ts";
export { inspect, type Seen, type Wanted } from "./inspect.ts";
export { asCount, asList, asObject, asObjects, asText, parseObject } from "./json.ts";
export { commonFailure, configurationRefused, describeEnd } from "./outcome.ts";
export { fillPrompt, joinPrompt, promptValues } from "./prompt.ts";
export { runProgram } from "./run-program.ts";
export { ephemeralSkills, type SkillFolder, skillFiles } from "./skills.ts";
export type { TranscriptEntry } from "./transcript.ts";
