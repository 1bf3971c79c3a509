import type { Gate } from "../../projects/gate.ts";
import type { CompanyId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { fenced } from "../comments/fenced.ts";

export const gateCheckStates = ["running", "passed", "failed"] as const;

/** The last run of a command gate of an issue. It is valid only for its commits and its command. */
export interface GateCheck {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly gate: string;
  readonly command: string;
  /** The heads of the issue's branches. */
  readonly commits: readonly string[];
  readonly state: (typeof gateCheckStates)[number];
  /** A sentence; null: it succeeded, or is still running. */
  readonly problem: string | null;
  /** The end of its output. */
  readonly log: string;
  readonly durationMs: number | null;
  /** How often its failures have woken the agent since a person last acted. */
  readonly wakes: number;
  /** When it began to wait for a person. */
  readonly handedOverAt: Instant | null;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
}

/** The comment about a gate whose command has failed. */
export const failureComment = (
  gate: Pick<Gate, "name">,
  { reason, log, waitsForPerson }: { reason: string; log: string; waitsForPerson: boolean },
): string =>
  [
    `The gate **${gate.name}** doesn't pass. ${reason}`,
    ...(log === "" ? [] : ["The end of its log:", fenced(log.slice(-shownLogMost))]),
    ...(waitsForPerson ? ["Please take a look."] : []),
  ].join("\n\n");

/** The most of a log that is stored, and that a refusal or a comment shows. */
export const logMost = 64 * 1024;
export const shownLogMost = 2_000;
