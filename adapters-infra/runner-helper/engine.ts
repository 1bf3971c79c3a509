import type { ProcessIdentity, RunPlacement } from "../../ports/process-runner.ts";
import type { EngineProgram } from "./engine-program.ts";
import type { OpenLog } from "./follow-log.ts";
import type { HandoverFiles } from "./handover-files.ts";
import type { ServiceFacts } from "./helper-spec.ts";
import type { OpenPipe } from "./input-channel.ts";

/** The state of a workload. */
export interface Inspection {
  readonly state: "waiting" | "running" | "ended";
  readonly placement: RunPlacement;
  /** Whether memory ran out, where it has ended. */
  readonly overMemory: boolean;
  /** A sentence: why it ended, where its helper has not said. */
  readonly endedBecause: string;
  /** A sentence: why waiting is of no use; null while it may start. */
  readonly neverStarts: string | null;
}

/** A workload as the engine lists it. */
export interface FoundWorkload<Workload> {
  readonly workload: Workload;
  /** Of a run, or of a check. */
  readonly runId: string;
  /** Whether nothing lives in it, as far as the list says. */
  readonly ended: boolean;
  readonly ageMs: number;
}

/** `startError` and `waitsFor` are sentences: why it cannot be made, or not yet. */
export type MadeWorkload<Workload> =
  | { readonly workload: Workload }
  | { readonly startError: string }
  | { readonly waitsFor: string };

/** Given to the runner of every engine. */
export interface RunnerFacts {
  readonly scope: string;
  /** The bundled program of process 1. */
  readonly helper: string;
  readonly service: ServiceFacts;
  /** null: programs end with the service. */
  readonly handover: HandoverFiles | null;
}

/**
 * The calls that differ from engine to engine. A workload runs one program: a pod, a container. All throw
 * RefusedByEngine, or anything else while the engine is away.
 */
export interface Engine<Workload> extends Pick<RunnerFacts, "scope" | "service"> {
  /** How long a program may wait for its start. */
  readonly pendingSec: number;
  /** How long the engine may take to end a workload after its grace. */
  readonly endingSec: number;
  readonly terms: EngineTerms;
  /** Creates the workload, in which nothing runs yet; or returns the one that an earlier attempt has made. */
  make(program: EngineProgram, waitedSec: number): Promise<MadeWorkload<Workload>>;
  identityOf(workload: Workload): ProcessIdentity;
  /** Gives the helper its specification, upon which the program starts. Asked again until it returns. */
  start(workload: Workload, program: EngineProgram): Promise<void>;
  /** null: there is no such workload any more. */
  inspect(workload: Workload): Promise<Inspection | null>;
  log(workload: Workload): OpenLog;
  /** The standard input of its helper, which stays open when a connection ends. */
  input(workload: Workload): OpenPipe;
  /** Asks the program to end, and ends it after its grace. Called again until it has ended. */
  askToEnd(workload: Workload, graceSec: number, askedForMs: number): Promise<void>;
  /** Whether something lives in the workload, or may yet start. */
  lives(workload: Workload): Promise<boolean>;
  /** Removes a workload in which nothing lives. Returns whether it is gone. */
  remove(workload: Workload): Promise<boolean>;
  /** The workloads of a run, by the value of its label; of all runs and checks without one. */
  find(run?: string): Promise<readonly FoundWorkload<Workload>[]>;
  /** A sentence about a workload that is gone and that this service has not removed. */
  removedBecause(workload: Workload): string;
  /** The part of the engine that confirms the end of a workload, as the subject of a sentence. */
  endConfirmedBy(workload: Workload): string;
}

export interface EngineTerms {
  readonly kind: "pod" | "container";
  /** As the subject of a sentence. */
  readonly engine: string;
  /** A clause: when the engine itself asks the helper to end. */
  readonly ends: string;
  /** A sentence: the engine has not answered since the program's own time limit. */
  readonly away: string;
}

/** Between the end of the grace of programs and SIGKILL for process 1. */
export const helperGraceSec = 3;

/** After a program's own time limits, before an engine may end it by itself. */
const marginSec = 60;

/** For a program with an open input, whose limits stand still while its run waits for people. */
const waitingSec = 24 * 60 * 60;

/** The time after which a program has ended by itself: its helper keeps its limits, wherever it is. */
export const lifetimeSec = (
  { timeoutSec, graceSec, onInput }: EngineProgram["spec"],
  { pendingSec }: Pick<Engine<unknown>, "pendingSec">,
): number => timeoutSec + graceSec + pendingSec + marginSec + (onInput === undefined ? 0 : waitingSec);
