import type { ProcessOutcome } from "../../ports/agent-adapter.ts";

/** How a run ends of which a program has met a limit. */
interface LimitMet {
  readonly errorCode: string;
  readonly errorMessage: string;
}

export const limitOf = ({
  overMemory,
  overProcesses,
  overDisk,
  unreadInput,
}: ProcessOutcome): LimitMet | null => {
  if (overMemory)
    return {
      errorCode: "memory_limit",
      errorMessage:
        "The program and what it started held more memory than a run may (SERVICE_RUN_MAX_MEMORY_MB, or the limit of its runner), and were ended.",
    };
  if (overProcesses)
    return {
      errorCode: "process_limit",
      errorMessage:
        "The program failed after it and what it started had reached the number of processes that its runner allows.",
    };
  if (overDisk)
    return {
      errorCode: "disk_limit",
      errorMessage:
        "The program and what it started added more to the workspace and the home than a run may (SERVICE_RUN_MAX_DISK_MB), and were ended. Their files are still there.",
    };
  if (unreadInput)
    return {
      errorCode: "input_unread",
      errorMessage:
        "The program was ended because it did not read its input: more of the adapter's messages waited for it than may.",
    };
  return null;
};
