import type { ProgramSpec, RunPlacement } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import type { FrameReader } from "./frame-reader.ts";
import type { InputChannel } from "./input-channel.ts";

/** A program that an engine is to run. */
export interface EngineProgram {
  /** Of its workload, such as its pod; unused before. */
  readonly name: string;
  readonly runId: string;
  readonly workspace: Workspace;
  readonly env: Readonly<Record<string, string>>;
  readonly spec: ProgramSpec;
  /** The specification that its helper reads, as JSON. */
  readonly specification: string;
  readonly reader: FrameReader;
  readonly input: InputChannel;
  readonly stop: AbortSignal;
  /** Whether its workload was made by a service that is gone, and may have started. */
  readonly isAdopted: boolean;
  /** Fires when this service leaves the program to the next one. */
  readonly detached: AbortSignal;
  readonly onPlacement: (placement: RunPlacement) => Promise<void>;
}
