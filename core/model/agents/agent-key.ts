import { refusal } from "../shared/failure.ts";

export class AgentKeyNotFound extends refusal("agent_key_not_found", "not_found", "There is no such key.") {}
