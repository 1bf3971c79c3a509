import { refusal } from "../shared/failure.ts";

export class AgentNotAssignable extends refusal(
  "agent_not_assignable",
  "conflict",
  "The agent is not approved yet and cannot be given work.",
) {}
