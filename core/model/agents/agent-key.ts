import { refusal } from "../shared/failure.ts";

export class AgentKeyNotFound extends refusal("agent_key_not_found", "not_found", "API key not found.") {}
