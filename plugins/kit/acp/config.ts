import type { Instructions } from "../instructions.ts";
import type { Policy } from "../permissions.ts";
import type { Preset, PresetName } from "./presets.ts";

/** The settings of a conversation with an agent over the Agent Client Protocol. */
export interface AcpConfig extends Instructions {
  readonly agent: PresetName;
  readonly preset: Preset;
  readonly command: string;
  readonly args: readonly string[];
  readonly policy: Policy;
  readonly mode: string | undefined;
  readonly model: string | undefined;
  readonly promptTemplate: string | undefined;
  readonly timeoutSec: number;
  readonly silenceSec: number;
  readonly graceSec: number;
}
